"""Running networks without torch: their ONNX graphs, made from the weights, on onnxruntime."""

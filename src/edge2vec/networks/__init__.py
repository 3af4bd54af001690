"""Networks without torch: their description, their weights, and their runs on onnxruntime."""

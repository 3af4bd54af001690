"""Triton kernels behind operators that are plain torch elsewhere."""

import importlib
from typing import Any

import torch


def with_gpu_kernels(module: str, **operators: Any) -> bool:
    """Let the module's functions of these names serve on a GPU; return whether they can.

    They need a GPU and Triton, so the module is imported only where there is a GPU.
    """
    if not torch.cuda.is_available():
        return False
    try:
        kernels = importlib.import_module(module)
    except ImportError:
        return False
    for name, operator in operators.items():
        operator.register_kernel("cuda")(getattr(kernels, name))
    return True

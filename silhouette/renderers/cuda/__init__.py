"""RENDER with rays on NVIDIA GPUs, or on the CPU with the same kernels: `renderer` for others, the rest for itself."""

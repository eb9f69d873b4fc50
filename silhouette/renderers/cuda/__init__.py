"""RENDER with rays, and count areas, on NVIDIA GPUs, or on the CPU with the same kernels: `renderer` for others."""

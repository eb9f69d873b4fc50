"""Benchmarks: each prints a table and asserts nothing about time. They need ../shared/meshes."""

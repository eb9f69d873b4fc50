"""Benchmarks: each measures tables and asserts nothing about time; ``python -m tests.benchmarks`` runs them all."""

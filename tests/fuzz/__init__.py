"""Fuzzing: files of the project's own are damaged, and every command must answer them with a line or a verdict.

``python -m tests.fuzz --minutes 30`` tries meshes of all formats, scenes of all games, model files, reports, scans,
tables from elsewhere and bundles, each in
a process apart with 10 s of CPU and 2 GB of memory. What fails is kept in a folder, and ``--only`` runs it again.
"""

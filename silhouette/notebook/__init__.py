"""PYTHON: what a notebook holds: scenes, verdicts, odds and maps that judge, show and write themselves.

They are the values of the rooms above with methods, which those cannot have: data flows one way, and a scene must not
import what judges it. `silhouette.notebook.methods` adds them.
"""

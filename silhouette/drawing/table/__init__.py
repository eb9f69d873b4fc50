"""DRAW: a judged look on a table of meshes goes in; its eye view, plan and side view come out, in print or PNG."""

"""RENDER with OpenGL: a view and bodies go in, a layer comes out, drawn on a GPU or in software, on EGL or OSMesa.

Others use `renderer.GLRenderer`, `devices` (which devices there are, without loading OpenGL) and `gpus` (why no GPU is
used); `context` and `depth_pass` are for the renderer alone.
"""

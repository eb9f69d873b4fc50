"""Renderers: one method behind which rays, OpenGL and a plain z-buffer give the same answer."""

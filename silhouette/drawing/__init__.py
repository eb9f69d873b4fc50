"""DRAW: a scene and verdicts that kept their evidence go in; figures, animations and 3D stages come out.

Others use `figures` (which figures a verdict has, and their files), `games` (what is drawn of each game), `four_views`
(a model for `inspect`), and to draw figures of their own `sheet.Sheet` with `marks`. Nothing is measured here.
"""

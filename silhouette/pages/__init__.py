"""TELL, as pages: verdicts and figures go in; HTML comes out that opens without a network.

Others use `report.page` and `tutorial.pages`; both are built on `html`. The 3D view's sources lie in `viewer`.
"""

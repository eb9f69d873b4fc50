"""TELL: a scene and its verdicts go in; the report comes out: verdicts, figures, reasons and a 3D view on one page."""

"""TELL: a scene and its verdicts go in; the report comes out: verdicts, figures, reasons and the table in 3D on one page.

Others use `page.judged_and_drawn` and `page.report_page`.
"""

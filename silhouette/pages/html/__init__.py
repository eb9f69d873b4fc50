"""TELL: text, tables and figures go in; an HTML page in one file comes out, which fetches nothing from elsewhere.

Others use `skeleton.page`, `skeleton.table` and `skeleton.Figures`, and `markup`, the one place where text is escaped.
"""

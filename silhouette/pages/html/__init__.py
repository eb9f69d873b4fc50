"""TELL: text, tables and figures go in; an HTML page in one file comes out, which fetches nothing from elsewhere.

Others use `page.page`, `page.table` and `page.Figures`; and `page.element`, the one place where text is escaped.
"""

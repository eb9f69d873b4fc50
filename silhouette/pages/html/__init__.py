"""TELL: text, tables and figures go in; an HTML page in one file comes out, which fetches nothing from elsewhere."""

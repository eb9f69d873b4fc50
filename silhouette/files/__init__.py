"""FILES: paths go in; tables of keys, checked values, cached arrays and written files come out."""

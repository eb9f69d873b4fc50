"""FILES: paths go in; tables of keys, checked values, cached arrays and written files come out.

Others use `documents.read_document`, `schema` (the types of keys, `validated`, `Location`), `cache.Cache`,
`fingerprints.Fingerprints`, `writing` (a file whole, or not at all), `changing` (a folder in place), `archives` (zip
archives from strangers) and `reading` (a file that a user names, and where the examples lie).
"""

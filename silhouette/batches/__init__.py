"""MANY: scenes go in, one row for each check comes out, whatever happens to a file, a check or a worker.

Others use `silhouette.batches.rows` (rows for Python), `silhouette.batches.run` (rows into a file) and
`silhouette.batches.settings.BatchSettings`; the other modules are for this room alone.
"""

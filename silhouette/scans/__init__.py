"""SCAN: a phone's scan of a whole table goes in; a scene goes out: a folder with a scene file that a person can edit.

Others use `scan.scan_table` (the whole way) and what it answers, a `ScannedTable`.
"""

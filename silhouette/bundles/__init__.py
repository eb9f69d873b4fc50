"""KEEP: a scene with all that its verdicts rest on, in one zip archive; and the same verdicts again from it.

scene -> `layout` (which files, where) -> `writing` (judged, drawn, packed) -> FILE.zip, told in `manifest`
FILE.zip -> `reading` (unpacked, what was changed) -> judged again -> `comparing` (row by row) -> `replaying`
"""

"""DOUBT: a scene and a check go in; out come the odds of each verdict, what would change it, and maps of places.

All of them judge one question many times, with pieces a little elsewhere: `odds`, `changes`, `maps`.
"""

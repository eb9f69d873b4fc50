"""RELATE: what games ask of the pieces of a table: lines between them, what a line crosses, what is near, what is seen.

pieces of a TableScene -> points and outlines -> lines, distances, patches: each a number with its error, and where it
was found. No game is named here, and no threshold: a game compares the numbers.
"""

"""DRAW: the name of a phrase and its values go in; a sentence in English, German, French or Spanish comes out.

Others use `words.Words` and `reasons.why`. Phrases of all figures stand in `phrases`, those of a game in its folder;
their translations are `gettext` catalogues in the folder ``locale`` of each.
"""

"""DRAW: the name of a phrase and its values go in; a sentence in English, German, French or Spanish comes out."""

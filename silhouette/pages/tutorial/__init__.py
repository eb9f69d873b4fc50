"""TELL: a text and the scenes that ship go in; a folder of pages comes out, with every number judged on the way."""

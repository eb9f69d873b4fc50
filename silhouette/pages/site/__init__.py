"""TELL: the site: a folder of static pages to try it in, with a table that judges, the tutorial, games and figures."""

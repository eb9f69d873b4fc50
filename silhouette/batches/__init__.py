"""MANY: scenes go in, one row for each check comes out, whatever happens to a file, a check or a worker."""

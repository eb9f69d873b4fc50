"""A mutation run over ``silhouette/rules``; see tests/README.md."""

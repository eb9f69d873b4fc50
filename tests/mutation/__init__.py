"""A mutation run over the rules of the games, and over COUNT; see tests/README.md."""

"""A second implementation of each game by data, by sampling; it shares nothing with the package."""

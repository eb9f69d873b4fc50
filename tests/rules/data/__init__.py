"""Tests of games by data."""

"""Silhouette."""

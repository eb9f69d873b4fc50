"""Pictures: drawn from the same verdict that was printed."""

"""Rule systems: from measured silhouettes to verdicts."""

"""TELL, as pages: verdicts and figures go in; HTML comes out that opens without a network."""

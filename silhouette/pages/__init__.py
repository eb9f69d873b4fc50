"""TELL, as pages: HTML that opens without a network: one skeleton and style sheet, and what is written on them."""

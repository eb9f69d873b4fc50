"""Fighters on round bases, one module each; `catalogue` names them."""

"""Pictures of results: what the templates need to draw them."""

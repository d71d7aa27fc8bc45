"""Models: their predictions audited with the graph of the data."""

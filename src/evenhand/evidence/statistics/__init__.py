"""Intervals, p-values and what chance alone makes, from counts alone."""

"""Effects of the protected attribute through chosen attributes: exact, with bounds."""

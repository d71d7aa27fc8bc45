"""What a look at a table finds before anything is judged, and the question it suggests."""

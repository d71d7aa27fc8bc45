"""What we publish: a plan carried out on rows, counted and certified again."""

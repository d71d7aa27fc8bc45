"""Many independence tests at once: what to count, and two ways to count it."""

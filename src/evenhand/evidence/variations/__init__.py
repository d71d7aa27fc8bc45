"""What the verdict hangs on: judged again with one thing chosen otherwise."""

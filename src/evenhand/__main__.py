"""``python -m evenhand``: the command line, where the command itself is not on the path."""

from evenhand.cli import main

if __name__ == "__main__":
    main()

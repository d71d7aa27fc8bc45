"""Files that appear whole or not at all, and names that must not be written to."""

from evenhand.files.targets import check_folder, check_targets
from evenhand.files.transaction import Transaction, sha256, write_file

__all__ = ["Transaction", "check_folder", "check_targets", "sha256", "write_file"]

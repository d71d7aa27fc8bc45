"""Files that appear whole or not at all, and names that must not be written to."""

from evenhand.files.transaction import (
    Transaction,
    after_writing,
    check_folder,
    check_targets,
    recover,
    sha256,
    write_file,
)

__all__ = [
    "Transaction",
    "after_writing",
    "check_folder",
    "check_targets",
    "recover",
    "sha256",
    "write_file",
]

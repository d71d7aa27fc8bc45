"""A checker for strangers: a folder of the standard library, and none of the rest of evenhand.

Copy the folder and run it where evenhand is not installed:

    python -m checker CERTIFICATE.json [DATA.csv] [--expect certified]
"""

from .verification import CheckOutcome, verify

__all__ = ["CheckOutcome", "verify"]

"""The command line of the checker.

Exit status: 0 verified, whatever the verdict; 1 refuted, and where; 3 neither.
"""

import argparse
import json
import re
import sys
import textwrap
from pathlib import Path

from .record_fields import VERDICTS
from .verification import verify

# What Unicode lets a program show as nothing, although Python calls it printable.
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_TEXTS = {
    0: "Certificate verified",
    1: "Certificate refuted",
    3: "Certificate neither verified nor refuted",
}


def main(arguments: list[str] | None = None) -> int:
    """Run the checker on command-line arguments."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {__package__}", description="Check an evenhand certificate."
    )
    parser.add_argument("certificate")
    parser.add_argument("data", nargs="?", help="the CSV file that the certificate is about")
    parser.add_argument(
        "--expect", choices=VERDICTS, help="of every claim; exit with 1 otherwise"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        text = Path(options.certificate).read_text(encoding="utf-8")
        status, notes, stated, told, _ = verify(text, options.data)
    except (OSError, UnicodeDecodeError) as error:
        parser.error(printable(str(error)))
    # Of what is false, or of a form that is not known, no verdict is told.
    told = told if stated and status != 1 else []
    verdicts = {"indirect.verdict" if names else "verdict": verdict for names, verdict in told}
    words = [f"through {', '.join(names)}: {one}" if names else one for names, one in told]
    title = f"{_TEXTS[status]}{'; it says' if told and status else ''}"
    title += f": {'; '.join(words)}." if told else "."
    unlike = [name for name, one in verdicts.items() if options.expect not in (None, one)]
    if unlike and not status:
        status, notes = 1, [f"{name}: it is not {options.expect!r}" for name in unlike]
    if options.json:
        answer = {"status": status, "notes": notes, "stated": stated, "verdicts": verdicts}
        sys.stdout.write(json.dumps(answer, indent=2, ensure_ascii=sys.stdout.isatty()) + "\n")
        return status
    lines = [printable(title), *(f"  {printable(note)}" for note in notes)]
    if stated and status != 1:
        lines.append("Stated in the record, not checked:")
    for field, what in stated.items() if status != 1 else ():
        text = printable(f"  {field:<20} {what}")
        lines += textwrap.wrap(text, 80, subsequent_indent=" " * 23)
    sys.stdout.write("\n".join(lines) + "\n")
    return status


def printable(text: str) -> str:
    r"""Escape what could move the cursor or hide a part of the text.

    >>> print(printable("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return "".join(
        mark if mark.isprintable() and not _IGNORABLE.match(mark) else ascii(mark)[1:-1]
        for mark in text
    )


if __name__ == "__main__":
    sys.exit(main())

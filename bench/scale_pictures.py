"""Draws the pictures of docs/scale.md from the figures in docs/scale.json.

python bench/scale_pictures.py
"""

import json
from collections.abc import Mapping, Sequence
from html import escape
from math import log10
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
COLOURS = ("#1f5fa8", "#b3541e", "#3c7d3c", "#7a4b9a")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 520, 300, 64, 48, 34, 150

Line = Sequence[tuple[float, float]]


def chart(title: str, across: str, up: str, lines: Mapping[str, Line]) -> str:
    """Lines between points on two logarithmic axes."""
    points = [point for line in lines.values() for point in line]
    low_x, high_x = _decades([x for x, _ in points])
    low_y, high_y = _decades([y for _, y in points])

    def at(x: float, y: float) -> tuple[float, float]:
        wide, high = WIDTH - LEFT - RIGHT, HEIGHT - BOTTOM - TOP
        return (
            round(LEFT + wide * (log10(x) - low_x) / (high_x - low_x), 1),
            round(HEIGHT - BOTTOM - high * (log10(y) - low_y) / (high_y - low_y), 1),
        )

    drawn = [f'<text x="{LEFT}" y="18" font-weight="bold">{escape(title)}</text>']
    for power in range(low_y, high_y + 1):
        x, y = at(10**low_x, 10**power)
        drawn.append(f'<path d="M{x} {y}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        drawn.append(f'<text x="{x - 6}" y="{y + 4}" text-anchor="end">{_number(power)}</text>')
    for power in range(low_x, high_x + 1):
        x, y = at(10**power, 10**low_y)
        drawn.append(f'<text x="{x}" y="{y + 16}" text-anchor="middle">{_number(power)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    drawn.append(
        f'<text x="{middle}" y="{HEIGHT - 10}" text-anchor="middle">{escape(across)}</text>'
    )
    drawn.append(
        f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" '
        f'text-anchor="middle">{escape(up)}</text>'
    )
    for number, (name, line) in enumerate(lines.items()):
        colour, places = COLOURS[number], [at(x, y) for x, y in line]
        path = "L".join(f"{x} {y}" for x, y in places)
        drawn.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        drawn += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in places]
        y = TOP + 12 + 18 * number
        drawn.append(
            f'<text x="{WIDTH - RIGHT + 10}" y="{y}" fill="{colour}">{escape(name)}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="11"><title>{escape(title)}</title>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>{"".join(drawn)}</svg>\n'
    )


def _decades(values: Sequence[float]) -> tuple[int, int]:
    low, high = (log10(extreme(values)) for extreme in (min, max))
    return int(low // 1), max(int(-(-high // 1)), int(low // 1) + 1)


def _number(power: int) -> str:
    return (
        f"{10**power:,}"
        if 0 <= power < 4
        else f"{10.0**power:g}"
        if power < 0
        else _large(power)
    )


def _large(power: int) -> str:
    return f"10{str(power).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def main() -> None:
    record = json.loads((DOCS / "scale.json").read_text("utf-8"))
    rows = {int(size) * 10**6: found for size, found in record["rows"].items()}

    def over_rows(side: str, step: str) -> Line:
        return [(size, found[side][step]) for size, found in rows.items()]

    wide = {int(width): found for width, found in record["wide"].items()}
    pictures = {
        "scale-rows": chart(
            "Passes over the rows",
            "rows",
            "CPU seconds",
            {
                "evenhand: count": over_rows("ours", "count"),
                "DuckDB: GROUP BY": over_rows("duckdb", "group by"),
                "evenhand: release": over_rows("ours", "release"),
                "DuckDB: COPY": over_rows("duckdb", "copy"),
            },
        ),
        "scale-counts": chart(
            "What only sees counts",
            "rows",
            "CPU seconds",
            {
                "learn the graph": over_rows("ours", "discover"),
                "certify": over_rows("ours", "certify"),
                "plan": over_rows("ours", "plan"),
            },
        ),
        "scale-memory": chart(
            "Highest memory",
            "rows",
            "MB",
            {
                "evenhand: count": over_rows("ours", "count MB"),
                "evenhand: all steps": over_rows("ours", "release MB"),
                "DuckDB: GROUP BY": over_rows("duckdb", "group by MB"),
                "DuckDB: COPY": over_rows("duckdb", "copy MB"),
            },
        ),
        "scale-width": chart(
            "Causes of a decision, a million rows",
            "attributes",
            "CPU seconds",
            {
                "small sets on demand": [
                    (width, found["on demand"]["causes"]) for width, found in wide.items()
                ],
                "one GROUP BY": [
                    (width, found["all at once"]["count"] + found["all at once"]["causes"])
                    for width, found in wide.items()
                ],
            },
        ),
    }
    for name, picture in pictures.items():
        (DOCS / f"{name}.svg").write_text(picture, "utf-8")


if __name__ == "__main__":
    main()

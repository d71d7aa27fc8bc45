"""The table and the picture of docs/peers.md, from the figures in docs/peers.json.

python bench/peers_page.py
"""

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- from peers.json -->\n", "<!-- end -->\n"
HEADER = (
    "method", "accuracy", "gap", "violating", "significant", "pooled difference", "changed",
    "seconds",
)  # fmt: skip
# Colours by light and dark: paper, text, grid, the gap, the common difference.
LIGHT = ("#ffffff", "#1d2126", "#d9d6cc", "#8a5a00", "#463a8a")
DARK = ("#16181c", "#e8e6e0", "#3d4148", "#e0a83c", "#b3a8f5")
NAMES = ("paper", "text", "grid", "gap", "common")
LEFT, PANEL, SPACE, TOP, STEP, LOW, HIGH = 290, 250, 70, 84, 26, -20, 20

Record = Mapping[str, Any]


def models(record: Record) -> list[str]:
    return list(dict.fromkeys(line["model"] for line in record["lines"] if "model" in line))


def ways(record: Record) -> dict[str, list[Record]]:
    """The lines of each way, one for each model."""
    lines: dict[str, list[Record]] = {}
    for line in record["lines"]:
        lines.setdefault(line["way"], []).append(line)
    return lines


def table(record: Record) -> str:
    """The table in Markdown, and what it was measured with."""
    rows = [HEADER, ("---",) * len(HEADER)]
    rows += [(way, *_cells(lines, models(record))) for way, lines in ways(record).items()]
    text = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    return "\n\n".join(
        [
            f"Two numbers: {'; '.join(models(record))}.",
            text,
            _seeds(record),
            f"{record['date']}; {record['machine']}; {versions}.\n",
        ]
    )


def _cells(lines: Sequence[Record], models: Sequence[str]) -> list[str]:
    """A way's figures, one for each model; a way that needs no model has one."""
    by_model = {line.get("model"): line for line in lines}
    asked = [by_model.get(model, {}) for model in models] if None not in by_model else lines

    def each(figure: str, form: str) -> str:
        texts = [format(line[figure], form) if figure in line else "–" for line in asked]
        return "; ".join(text.replace("-", "−") for text in texts)

    return [
        each("accuracy", ".3f"),
        each("gap", ".3f"),
        f"{each('violating', 'd')} of {lines[0]['measured']}",
        each("shown", "d"),
        each("common", "+.3f"),
        each("changed", ",d"),
        each("seconds", ".1f"),
    ]


def _seeds(record: Record) -> str:
    """The range over ten seeds, of the ways that draw random numbers."""
    ranges = [
        f"- {line['way']}, {line['model']}: {_range(line, 'violating')} violating, "
        f"{_range(line, 'shown')} significant"
        for line in record["lines"]
        if any(low < high for low, high in line.get("seeds", {}).values())
    ]
    return (
        "The range over ten seeds, the first of which is in the table (methods that are not "
        "listed draw no random numbers):\n\n" + "\n".join(ranges)
    )


def _range(line: Record, figure: str) -> str:
    low, high = line["seeds"][figure]
    return str(low) if low == high else f"{low} to {high}"


def picture(record: Record) -> str:
    """For each way the gap of all rows and the common difference, in a panel for each model."""
    names, panels = list(ways(record)), models(record)
    width, height = LEFT + len(panels) * (PANEL + SPACE), TOP + STEP * len(names) + 50
    title = "The difference among all people, and among people alike in nine causes"
    drawn = [
        f'<rect width="{width}" height="{height}" class="paper"/>',
        _text(16, 24, title, "start", bold=True),
        _dot(22, 42, "gap"),
        _text(34, 46, "gap of all people", "start"),
        _dot(162, 42, "common"),
        _text(174, 46, "pooled difference of people alike", "start"),
        '<rect x="392" y="35" width="14" height="14" class="band"/>',
        _text(
            412,
            46,
            "under 5 points; significant: groups with a statistically significant difference",
            "start",
        ),
    ]
    drawn += [_text(LEFT - 14, _height(at) + 4, way, "end") for at, way in enumerate(names)]
    for number, model in enumerate(panels):
        drawn += _panel(record, model, LEFT + number * (PANEL + SPACE), names)
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in zip(NAMES, colours, strict=True))
        for colours in (LIGHT, DARK)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="sans-serif" font-size="12"><title>{title}</title>'
        f"<style>:root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        "text{fill:var(--text)}.paper{fill:var(--paper)}.band{fill:var(--grid);opacity:.6}"
        ".line{stroke:var(--grid)}.zero{stroke:var(--text)}.between{stroke:var(--text);opacity:.35}"
        ".gap{fill:var(--paper);stroke:var(--gap);stroke-width:2.5}"
        f".common{{fill:var(--common)}}</style>{''.join(drawn)}</svg>\n"
    )


def _panel(record: Record, model: str, left: int, names: Sequence[str]) -> list[str]:
    def across(points: float) -> float:
        return round(left + PANEL * (points - LOW) / (HIGH - LOW), 1)

    bottom, right = TOP + STEP * len(names), left + PANEL + 32
    drawn = [
        _text(across(0), TOP - 10, model, bold=True),
        _text(right, TOP - 10, "significant"),
        f'<path d="M{across(-5)} {TOP}H{across(5)}V{bottom}H{across(-5)}" class="band"/>',
        _text(across(0), bottom + 38, "← women ahead · points · men ahead →"),
    ]
    for points in range(LOW, HIGH + 1, 10):
        kind, x = "line" if points else "zero", across(points)
        drawn.append(f'<path d="M{x} {TOP}V{bottom}" class="{kind}"/>')
        drawn.append(_text(x, bottom + 18, str(points).replace("-", "−")))
    for line in record["lines"]:
        if line.get("model", model) == model:
            y = _height(names.index(line["way"]))
            gap, common = across(100 * line["gap"]), across(100 * line["common"])
            drawn.append(f'<path d="M{gap} {y}H{common}" class="between"/>')
            drawn += [_dot(gap, y, "gap"), _dot(common, y, "common")]
            drawn.append(_text(right, y + 4, str(line["shown"])))
    return drawn


def _height(place: int) -> int:
    return TOP + STEP * place + STEP // 2


def _dot(x: float, y: float, kind: str) -> str:
    return f'<circle cx="{x}" cy="{y}" r="5" class="{kind}"/>'


def _text(x: float, y: float, words: str, anchor: str = "middle", *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{weight}>{escape(words)}</text>'


def page(text: str, record: Record) -> str:
    """The page with the table of a record in its place."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{table(record)}\n{END}{rest.partition(END)[2]}"


def write(record: Record) -> None:
    """Record the figures, and put table and picture into docs/."""
    (DOCS / "peers.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    (DOCS / "peers.svg").write_text(picture(record), "utf-8")
    place = DOCS / "peers.md"
    place.write_text(page(place.read_text("utf-8"), record), "utf-8")


if __name__ == "__main__":
    write(json.loads((DOCS / "peers.json").read_text("utf-8")))

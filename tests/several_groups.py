"""A table of two sexes, three races and three scores, and questions about several groups."""

import numpy as np

import evenhand as eh

ORDER = ("Low", "Medium", "High")
GRAPH = eh.CausalGraph.parse("race -> score; town -> score; sex -> score; race -> town")
NAMES = ("sex", "race", "town", "score")
# In town z there are few people, none of race c and no men.
LINES = [
    (sex, race, town, score, n)
    for race, at in (("a", 2), ("b", 5), ("c", 3))
    for sex, more in (("f", 1), ("m", 2))
    for town, size in (("x", 11), ("y", 1), ("z", 0))
    for score, step in zip(ORDER, (at, more, 2 * at), strict=True)
    if (n := (size + step) if size else int(race != "c" and sex == "f"))
]
_LOW = {"protected": "race", "decision": "score", "favorable": "Low"}
_EVERY = {"protected": "race", "decision": "score", "criterion": "every"}
_CUMULATIVE = _EVERY | {"criterion": "cumulative", "order": ORDER}
_CROSSED = {"protected": ("sex", "race"), "favorable": ("Low", "Medium")}
QUESTIONS = {
    name: eh.Question(**fields)
    for name, fields in (
        ("pairs", _LOW | {"min_rows": 5}),
        ("reference", _EVERY | {"other": "c"}),
        ("crossed", _LOW | _CROSSED),
        ("every", _EVERY | {"protected": "sex", "group": "f"}),
        ("cumulative", _CUMULATIVE),
        ("edited groups", _CUMULATIVE),
    )
}


RELEASED = {
    name: question for name, question in QUESTIONS.items() if name != "edited groups"
} | {
    name: eh.Question(**fields)
    for name, fields in (
        ("ordered set", _LOW | {"favorable": ORDER[:2], "order": ORDER}),
        ("low reference", _LOW | {"other": "c"}),
        ("crossed every", _EVERY | {"protected": ("sex", "race"), "min_rows": 3}),
        ("crossed two", _LOW | _CROSSED | {"group": ("f", "a"), "other": ("m", "b")}),
        ("rest", _LOW | {"group": "a", "other": "rest"}),
    )
}


def counted():
    """The table as counts."""
    *columns, counts = zip(*LINES, strict=True)
    return eh.CountTable.of(dict(zip(NAMES, columns, strict=True)), counts)


def csv_text():
    """The table as a CSV file, with frequencies in the column n."""
    return "\n".join(",".join(map(str, line)) for line in [(*NAMES, "n"), *LINES]) + "\n"


PEOPLE = ("id", "sex", "race", "town", "score", "note")
CODINGS = eh.Codings.of(columns=["sex", "race", "town", "score"])


def people(rows=600, seed=0):
    """Rows with ids and a column outside the question that goes with the score, as lists."""
    rng = np.random.default_rng(seed)
    columns = {
        "id": (rng.permutation(rows) * 7 + 3).tolist(),
        "sex": rng.choice(["f", "m"], rows).tolist(),
        "race": rng.choice(["a", "b", "c"], rows, p=[0.5, 0.3, 0.2]).tolist(),
        "town": rng.choice(["x", "y"], rows).tolist(),
    }
    luck = rng.random(rows) + 0.3 * (np.array(columns["race"]) == "a")
    columns["score"] = np.array(ORDER)[(luck > 0.5).astype(int) + (luck > 0.9)].tolist()
    notes = {"Low": ("calm", "quiet"), "Medium": ("busy",), "High": ("loud", "very, loud")}
    columns["note"] = [str(rng.choice(notes[score])) for score in columns["score"]]
    return columns


def decisions(table, name="score"):
    """What each person has in a column, by id, whatever kind of table it is."""
    return dict(zip(column_of(table, "id"), column_of(table, name), strict=True))


def column_of(table, name):
    """The values of a column as a list."""
    column = table[name]
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return getattr(column, method)()
    return [*column]

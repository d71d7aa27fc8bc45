"""Tables of decisions that a column determines, as a new user would bring them."""

import numpy as np

import evenhand as eh


def scored(rows=2000, seed=1, *, exceptions=0):
    """Risk in three values made from a score of ten; education and sex move the score.

    ``exceptions`` rows of women get another decision than their score says.
    """
    rng = np.random.default_rng(seed)
    sex, education = rng.choice(["f", "m"], rows), rng.integers(0, 3, rows)
    moved = (sex == "f") * rng.integers(0, 2, rows)
    score = np.clip(2 * education + rng.integers(1, 5, rows) - moved, 1, 10)
    risk = np.where(score > 6, "high", np.where(score > 3, "mid", "low"))
    women = np.flatnonzero((sex == "f") & (risk == "low"))[:exceptions]
    risk[women] = "high"
    columns = {"sex": sex, "education": education, "score": score, "risk": risk}
    return {name: [str(value) for value in values] for name, values in columns.items()}


def question(**more):
    """Is sex itself a reason for the risk that is stated?"""
    return eh.Question(protected="sex", group="f", decision="risk", favorable="low", **more)


def by_age(rows=6000, seed=5):
    """A decision that depends on age and sex; age in years, and as a class made from it."""
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(20, 60, rows), rng.choice(["f", "m"], rows)
    # The rate changes within each class too, so that the class alone does not explain it.
    rate = 0.1 + 0.015 * (age - 20) + 0.1 * (sex == "m")
    hired = np.where(rng.random(rows) < rate, "yes", "no")
    town = rng.choice(["a", "b", "c"], rows)
    columns = {"age": age, "class": age // 10, "sex": sex, "town": town, "hired": hired}
    return {name: [str(value) for value in values] for name, values in columns.items()}

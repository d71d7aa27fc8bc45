"""Ways to predict Adult's income: a model by itself, and with evenhand, Fairlearn and AIF360.

A way is a function that fits, and returns a function from a seed to predictions of new rows.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import pandas as pd
from aif360.algorithms.preprocessing import DisparateImpactRemover, Reweighing
from aif360.datasets import BinaryLabelDataset
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.preprocessing import CorrelationRemover
from fairlearn.reductions import DemographicParity, ExponentiatedGradient
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import evenhand as eh

COLUMNS = {
    "age": 0, "workclass": 1, "schooling": 3, "education": 4, "marital_status": 5,
    "occupation": 6, "relationship": 7, "race": 8, "sex": 9, "hours": 12,
    "native_country": 13, "income": 14,
}  # fmt: skip
NUMBERS = ["age", "hours"]  # models read education as the text, schooling
CUTS = {"age": 37, "education": 9, "hours": 40}
MERGED = {
    "workclass": "Private",
    "marital_status": "Married-civ-spouse",
    "occupation": "Craft-repair",
    "relationship": "Not-in-family",
    "race": "White",
    "native_country": "United-States",
}
SIX = ["age", "education", "hours", "marital_status", "relationship", "workclass"]
CODINGS = eh.Codings.of(
    bins={name: [cut] for name, cut in CUTS.items()},
    merge={name: {one: [one], "other": ["*"]} for name, one in MERGED.items()},
)
QUESTION = eh.Question(protected="sex", group="Female", decision="income", favorable=">50K")
GRAPH = eh.CausalGraph.parse("; ".join(f"{name} -> income" for name in ["sex", *CUTS, *MERGED]))
WITH_SEX = "with sex"
BOOSTING = "histogram boosting"
SEEDS = range(10)

Predict = Callable[[int], ArrayLike]
Ways = dict[str, Callable[[], Predict]]


class Part(NamedTuple):
    """One part of Adult: the table that is audited, and the numbers that models read."""

    table: pd.DataFrame
    inputs: pd.DataFrame

    @property
    def sex(self) -> pd.Series:
        """The protected attribute."""
        return self.table["sex"]

    @property
    def labels(self) -> pd.Series:
        """Whether income is over 50K, as 0 and 1."""
        return (self.table["income"] == ">50K").astype(int)

    @property
    def without_sex(self) -> pd.DataFrame:
        """What models read but for the protected attribute."""
        return self.inputs.drop(columns=["sex_Female", "sex_Male"])


def read(folder: Path) -> tuple[Part, Part]:
    """The training part and the test part."""
    tables = []
    for name in ("adult.data", "adult.test"):
        table = pd.read_csv(folder / name, header=None, skipinitialspace=True, comment="|")
        table = table[[*COLUMNS.values()]].set_axis([*COLUMNS], axis=1)
        tables.append(table.assign(income=table["income"].str.rstrip(".")))
    texts = [name for name in COLUMNS if name not in {*NUMBERS, "education", "income"}]
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), texts),
        (StandardScaler(), NUMBERS),
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    encoder.fit(tables[0])
    train, test = (Part(table, encoder.transform(table)) for table in tables)
    return train, test


def in_classes(table: pd.DataFrame) -> pd.DataFrame:
    """Causes in the two classes that the audit counts."""
    return table.apply(
        lambda one: one > CUTS[one.name] if one.name in CUTS else one == MERGED[one.name]
    ).astype(int)


def audit(
    test: Part, predictions: ArrayLike, scores: ArrayLike | None = None
) -> eh.PredictionAudit:
    """What evenhand says of predictions of the test part, given as 0 and 1."""
    said = [">50K" if one else "<=50K" for one in predictions]
    return eh.audit_predictions(
        test.table, said, QUESTION,
        graph=GRAPH, codings=CODINGS, labels="income", scores=scores,
    )  # fmt: skip


def own_ways(train: Part, test: Part, model: ClassifierMixin) -> Ways:
    """A model by itself, and what evenhand does to its training rows or to its predictions."""

    def with_sex() -> Predict:
        fitted = model.fit(train.inputs, train.labels)
        return lambda _: fitted.predict(test.inputs)

    def without_sex() -> Predict:
        fitted = model.fit(train.without_sex, train.labels)
        return lambda _: fitted.predict(test.without_sex)

    def on_release() -> Predict:
        table = train.table.drop(columns="schooling")
        found = eh.audit(table, QUESTION, graph=GRAPH, codings=CODINGS)

        def predict(seed: int) -> ArrayLike:
            released = found.release(seed=seed).rows["income"] == ">50K"
            return model.fit(train.inputs, released.astype(int)).predict(test.inputs)

        return predict

    def plan(method: eh.ModifyData | None) -> Predict:
        scores = model.fit(train.inputs, train.labels).predict_proba(test.inputs)[:, 1]
        found = audit(test, scores > 0.5, scores)
        return lambda seed: (
            found.release(seed=seed, method=method).rows["prediction"] == ">50K"
        ).astype(int)

    return {
        WITH_SEX: with_sex,
        "without sex": without_sex,
        "evenhand: with sex, trained on the release": on_release,
        "evenhand: plan on the batch, by score": lambda: plan(None),
        "evenhand: plan on the batch, by chance": lambda: plan(eh.ModifyData()),
    }


def fairlearn_ways(train: Part, test: Part, model: ClassifierMixin) -> Ways:
    """Ways of Fairlearn that ask for equal rates; one of them can do so among people alike."""

    def thresholds() -> Predict:
        fitted = ThresholdOptimizer(
            estimator=model, constraints="demographic_parity", predict_method="predict_proba"
        ).fit(train.inputs, train.labels, sensitive_features=train.sex)
        return lambda seed: fitted.predict(
            test.inputs, sensitive_features=test.sex, random_state=seed
        )

    def gradient(**control: ArrayLike) -> Predict:
        fitted = ExponentiatedGradient(model, DemographicParity(difference_bound=0.05))
        fitted.fit(train.inputs, train.labels, sensitive_features=train.sex, **control)
        return lambda seed: fitted.predict(test.inputs, random_state=seed)

    def uncorrelated() -> Predict:
        remover = CorrelationRemover(sensitive_feature_ids=["sex_Female", "sex_Male"])
        fitted = model.fit(remover.fit_transform(train.inputs), train.labels)
        return lambda _: fitted.predict(remover.transform(test.inputs))

    return {
        "Fairlearn: ThresholdOptimizer, parity": thresholds,
        "Fairlearn: ExponentiatedGradient, parity .05": gradient,
        "Fairlearn: ExponentiatedGradient, given six causes": lambda: gradient(
            control_features=in_classes(train.table[SIX])
        ),
        "Fairlearn: CorrelationRemover": uncorrelated,
    }


def aif360_ways(train: Part, test: Part, model: ClassifierMixin) -> Ways:
    """Ways of AIF360 that change the training rows, or what models read of them."""

    def dataset(part: Part, inputs: list[str]) -> BinaryLabelDataset:
        table = part.inputs[inputs].assign(sex=part.sex == "Male", income=part.labels)
        return BinaryLabelDataset(
            df=table, label_names=["income"], protected_attribute_names=["sex"]
        )

    def weights() -> Predict:
        weighing = Reweighing([{"sex": 0}], [{"sex": 1}])
        weighed = weighing.fit_transform(dataset(train, [])).instance_weights
        fitted = model.fit(train.inputs, train.labels, sample_weight=weighed)
        return lambda _: fitted.predict(test.inputs)

    def repair() -> Predict:
        # It has no transform for new rows, so both parts are repaired together.
        both = Part(
            *(pd.concat(pair, ignore_index=True) for pair in zip(train, test, strict=True))
        )
        remover = DisparateImpactRemover(repair_level=1.0, sensitive_attribute="sex")
        repaired = remover.fit_transform(dataset(both, NUMBERS))
        numbers = pd.DataFrame(repaired.features, columns=repaired.feature_names)[NUMBERS]
        inputs = both.without_sex.assign(**numbers)
        fitted = model.fit(inputs[: len(train.table)], train.labels)
        return lambda _: fitted.predict(inputs[len(train.table) :])

    return {
        "AIF360: Reweighing": weights,
        "AIF360: DisparateImpactRemover, age and hours": repair,
    }


def figures(found: eh.PredictionAudit) -> dict[str, float]:
    """The columns of the table that an audit fills."""
    partition = found.certificate.partition
    return {
        "accuracy": round(float(found.error_bias.accuracy), 6),
        "gap": round(float(found.error_bias.gap.predictions), 6),
        "violating": int(partition.violating),
        "measured": int(partition.measured.sum()),
        "shown": int(partition.statistics.shown.sum()),
        "common": round(found.certificate.population.common.difference, 6),
    }


def measure(train: Part, test: Part, *, long: bool) -> Iterator[dict[str, Any]]:
    """A line of the table for each way and model: the first seed's, and the range over ten."""
    yield {"way": "the labels themselves", **figures(audit(test, test.labels))}
    models = {
        "logistic regression": LogisticRegression(max_iter=2000),
        BOOSTING: HistGradientBoostingClassifier(random_state=0),
    }
    for name, model in models.items():
        ways = {
            way: fit
            for some in (own_ways, fairlearn_ways, aif360_ways)
            for way, fit in some(train, test, model).items()
        }
        for way, fit in ways.items():
            if "ExponentiatedGradient" in way and name == BOOSTING and not long:
                continue
            begin = process_time()
            predict = fit()
            first = predict(SEEDS[0])
            seconds = process_time() - begin
            if way == WITH_SEX:
                usual = first
            each = [figures(audit(test, predict(seed))) for seed in SEEDS]
            yield {
                "way": way,
                "model": name,
                **each[0],
                "changed": int((first != usual).sum()),
                "seconds": round(seconds, 1),
                "seeds": {
                    figure: [min(one[figure] for one in each), max(one[figure] for one in each)]
                    for figure in ("violating", "shown")
                },
            }

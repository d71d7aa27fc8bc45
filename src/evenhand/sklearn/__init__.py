"""A door for scikit-learn: a resampler for pipelines, a metric and its scorer."""

from evenhand.errors import ResourceError

try:
    from evenhand.sklearn.remove_direct_effect import RemoveDirectEffect
except ImportError as error:
    raise ResourceError.of(
        "This needs scikit-learn, 1.6 or later.",
        f"{error}.",
        "Install it: pip install scikit-learn.",
        "evenhand.sklearn",
    ) from error

from evenhand.sklearn.conditional_difference import (
    conditional_difference,
    conditional_difference_scorer,
)

__all__ = ["RemoveDirectEffect", "conditional_difference", "conditional_difference_scorer"]

"""Effects of the protected attribute through chosen attributes: exact, with bounds."""

from evenhand.effects.indirect_claim import Indirect, PathSteps, ResampledEffects
from evenhand.effects.measure import measure_examined, measure_paths

__all__ = [
    "Indirect",
    "PathSteps",
    "ResampledEffects",
    "measure_examined",
    "measure_paths",
]

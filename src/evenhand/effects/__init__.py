"""Effects of the protected attribute through chosen attributes: exact, with bounds."""

from evenhand.effects.indirect import measure_examined, measure_paths, measure_tables
from evenhand.effects.indirect_claim import Indirect
from evenhand.effects.path_steps import PathSteps
from evenhand.effects.resampled_effects import ResampledEffects

__all__ = [
    "Indirect",
    "PathSteps",
    "ResampledEffects",
    "measure_examined",
    "measure_paths",
    "measure_tables",
]

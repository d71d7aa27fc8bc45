"""evenhand: did the protected attribute itself change the decision, in any comparable group?"""

from evenhand.counts import Attribute, CountTable, pose
from evenhand.errors import EvenhandError
from evenhand.question import Codings, Knowledge, Question, QuestionFile, Tiers

__all__ = [
    "Attribute",
    "Codings",
    "CountTable",
    "EvenhandError",
    "Knowledge",
    "Question",
    "QuestionFile",
    "Tiers",
    "pose",
]

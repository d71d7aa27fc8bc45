"""The causal graph as a picture: attributes in columns of time, links that never cross a box.

A link that passes over a column gets a narrow lane there, as if it were a small box. The order
within columns is searched for few crossings, where links that matter weigh more; then every box
and lane is drawn towards its neighbours as far as the order allows. One and the same layout
serves wide pages, where columns go from left to right, and narrow ones, where they go down.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from evenhand.display import visible
from evenhand.evidence.findings import Graph
from evenhand.question import KnownOrder, Question
from evenhand.report import view
from evenhand.report.arrangement import Item, Link, arrange

# Above so many attributes only those that matter for the question are drawn.
MOST_BOXES = 15
_STRENGTH = {"direct": 14.0, "cause": 8.0, "held": 4.0, "after": 3.0, "rest": 1.0}
_CAPTIONS = {
    "protected": "protected",
    "decision": "decision",
    "cause": "held equal",
    "possible": "possibly a cause",
    "consequence": "consequence",
    "plain": "",
}

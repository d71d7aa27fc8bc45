"""A plan applied to rows, counted and certified again, published; and what it cost."""

from evenhand.releasing.manifest import Replay, replay
from evenhand.releasing.publish import Written
from evenhand.releasing.release import Release

__all__ = ["Release", "Replay", "Written", "replay"]

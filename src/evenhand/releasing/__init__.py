"""What we publish: a plan carried out on rows, counted and certified again."""

from evenhand.releasing.released import Release, release
from evenhand.releasing.replay import Replay, replay
from evenhand.releasing.written import Written

__all__ = ["Release", "Replay", "Written", "release", "replay"]

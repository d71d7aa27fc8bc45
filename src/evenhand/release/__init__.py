"""What we publish: a plan carried out on rows, counted and certified again."""

from evenhand.release.released import Release, release
from evenhand.release.replay import Replay, replay
from evenhand.release.written import Written

__all__ = ["Release", "Replay", "Written", "release", "replay"]

"""Tests that count what they need."""

from collections import Counter

import pytest
from tests.networks import *  # noqa: F403

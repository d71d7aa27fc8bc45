from collections.abc import Iterator

import pytest

from evenhand.cli.terminal import offer


@pytest.fixture(autouse=True)
def _every_option_is_offered_again() -> Iterator[None]:
    """A verb that was run left only its own options to be named in remedies."""
    yield
    offer(None)

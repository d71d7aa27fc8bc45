"""Engines whose frames people bring; evenhand itself loads none of them."""

import pytest


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas")


@pytest.fixture
def polars():
    return pytest.importorskip("polars")


@pytest.fixture
def duckdb():
    return pytest.importorskip("duckdb").connect()

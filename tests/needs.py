"""What some tests need and not every machine has."""

import os

import pytest


def needed(found, what):
    """Skip where something is not installed; in CI that is a failure."""
    if not found:
        reason = f"These tests need {what}, which is not installed here."
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)

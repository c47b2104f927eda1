"""What holds for every test: properties are tried with the same examples in every run."""

from hypothesis import settings

settings.register_profile("core", deadline=None, derandomize=True, database=None, max_examples=40)
settings.load_profile("core")

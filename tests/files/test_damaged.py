"""A short search; `tests/fuzz/files.py` is the long one."""

import warnings

from damaged_files import search


def test_a_damaged_file_is_opened_or_refused_in_a_sentence():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert min(search(1_000)) > 50

"""The command that runs the tests on other kernels: what it runs, and what it skips in words."""

import kernels
import pytest


def test_tests_of_numbers_are_run_and_those_of_the_page_are_not():
    run = kernels.tests_of_numbers()
    assert {"tests/test_attention.py", "tests/test_trace.py", "tests/lab/test_order.py"} < set(run)
    assert not {name for name in run if name.startswith("tests/browser") or "page.py" in name} - {
        "tests/test_bare_page.py"
    }


def test_what_is_left_out_is_there_to_be_left_out():
    assert all((kernels.ROOT / name).exists() for name in kernels.NOT_OF_NUMBERS)


def test_a_kernel_that_nobody_has_is_skipped_with_a_word(capsys, monkeypatch):
    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    assert kernels.main(["Abacus"]) == 0
    assert capsys.readouterr().out.startswith("Abacus       skipped: ")


def test_kernels_of_one_name_are_run_once(capsys, monkeypatch):
    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    monkeypatch.setattr(kernels, "core", lambda kernel: ("Haswell", ""))
    ran = []
    monkeypatch.setattr(kernels, "run", lambda kernel: ran.append(kernel) or False)
    assert kernels.main(["Haswell", "Zen"]) == 1
    assert ran == ["Haswell"]
    assert "Zen          skipped: OpenBLAS has one kernel for this and Haswell" in (
        capsys.readouterr().out
    )


def test_a_kernel_that_was_chosen_already_stays_chosen(capsys, monkeypatch):
    monkeypatch.setenv(kernels.VARIABLE, "Nehalem")
    monkeypatch.setattr(kernels, "run", lambda kernel: pytest.fail("must not run"))
    assert kernels.main([]) == 0
    assert "set already, to Nehalem" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("summary", "counts"),
    [
        ("2708 passed in 39.03s", "2708 passed"),
        (
            "1 failed, 20 passed, 3 skipped, 2 errors in 3.00s",
            "1 failed, 20 passed, 3 skipped, 2 errors",
        ),
        ("1 error in 0.10s", "1 error"),
        ("no tests ran in 0.01s", ""),
    ],
)
def test_counts(summary, counts):
    assert kernels.counted(summary) == counts

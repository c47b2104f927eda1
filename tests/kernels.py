"""The tests of numbers on one kernel of OpenBLAS after the other: `python tests/kernels.py`.

NumPy multiplies matrices by OpenBLAS, which brings routines ("kernels") for many processors and
picks its own. They add in other orders, so that last bits differ. What holds here has to hold on
the processors of others, and most kernels run on any newer one: OPENBLAS_CORETYPE names the kernel
to a process that starts. `python tests/kernels.py Haswell Nehalem` runs these alone.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

ROOT = Path(__file__).parents[1]
VARIABLE = "OPENBLAS_CORETYPE"
KERNELS = ("Haswell", "Zen", "Sandybridge", "Nehalem", "Prescott")
ALSO_CALLED = {"Zen": "Haswell", "Prescott": "Katmai"}
"""What OpenBLAS calls a kernel where it has one for both processors."""
NOT_OF_NUMBERS = {
    "tests/browser": "the page in a browser, which takes minutes",
    "tests/test_page.py": "the page",
    "tests/test_model_page.py": "the page",
    "tests/test_parts.py": "the page",
    "tests/test_told.py": "the page",
    "tests/lab/test_lab_page.py": "the page",
    "tests/test_kernels.py": "this command",
    "tests/test_layers.py": "imports",
    "tests/test_readme.py": "the README",
}
PRODUCT = "import numpy as np; np.ones((64, 64)) @ np.ones((64, 64))"


def main(kernels: list[str]) -> int:
    """Run the tests on each kernel and print a line for each. Returns how many were red."""
    if given := os.environ.get(VARIABLE):
        print(f"Nothing is run: {VARIABLE} is set already, to {given}, and is left as it is.")
        return 0
    seen: dict[str, str] = {}
    red = 0
    for kernel in kernels or KERNELS:
        name, problem = core(kernel)
        if name in seen:
            problem = f"OpenBLAS has one kernel for this and {seen[name]}"
        if problem:
            print(f"{kernel:12} skipped: {problem}", flush=True)
            continue
        seen[name] = kernel
        red += not run(kernel)
    if red:
        print(f"To see why: {VARIABLE}=<kernel> python -m pytest <test>")
    return red


def core(kernel: str) -> tuple[str, str]:
    """What OpenBLAS calls the kernel that it takes when asked for this one, and why it is no use.

    Tried in a process of its own: a processor that lacks an instruction ends it.
    """
    tried = subprocess.run(
        [sys.executable, "-c", PRODUCT],
        env=os.environ | {VARIABLE: kernel, "OPENBLAS_VERBOSE": "2"},
        capture_output=True,
        text=True,
    )
    if tried.returncode:
        return "", f"a product of matrices ends with code {tried.returncode} on this processor"
    found = re.search(r"^Core: (\w+)", tried.stderr, flags=re.MULTILINE)
    if not found:
        return "", "NumPy does not say that it multiplies by OpenBLAS"
    name = found[1]
    if name.lower() not in (kernel.lower(), ALSO_CALLED.get(kernel, "").lower()):
        return "", f"OpenBLAS takes {name} instead"
    return name, ""


def run(kernel: str) -> bool:
    """Run the tests on a kernel, and print how they went and which were red. True where none."""
    start = time.monotonic()
    command = [sys.executable, "-m", "pytest", *tests_of_numbers(), "--tb=no", "-rfE"]
    env = os.environ | {VARIABLE: kernel, "NPY_DISABLE_CPU_FEATURES": " ".join(wide_features())}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    counts = counted(lines[-1]) if lines else ""
    said = counts or f"pytest ended with code {done.returncode}"
    print(f"{kernel:12} {said}, {time.monotonic() - start:.0f} s", flush=True)
    for line in lines:
        if line.startswith(("FAILED", "ERROR")):
            print(f"{'':12} {line.split(' - ')[0]}", flush=True)
    return done.returncode == 0


def wide_features() -> list[str]:
    """NumPy's own routines for AVX-512, where this processor has it. Those of the kernels have not,
    and exponentials, too, have other last bits without it."""
    return [
        name
        for name in __cpu_dispatch__
        if __cpu_features__[name] and (name == "X86_V4" or name.startswith("AVX512"))
    ]


def counted(summary: str) -> str:
    """The counts in the last line that pytest writes: "1 failed, 20 passed in 3.00s"."""
    return ", ".join(re.findall(r"\d+ (?:failed|passed|skipped|errors?)\b", summary))


def tests_of_numbers() -> list[str]:
    """The test files but those in which no number is computed, or none that others do not hold."""
    files = sorted(path.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py"))
    return [
        str(path) for path in files if not any(map(path.is_relative_to, map(Path, NOT_OF_NUMBERS)))
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)

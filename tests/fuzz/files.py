"""Open many damaged files and say what became of them: `python tests/fuzz/files.py [count [seed]]`.

A file that is neither opened nor refused in a sentence ends this with its bytes.
"""

import resource
import sys
import time
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from damaged_files import search  # noqa: E402

if __name__ == "__main__":
    count, seed = (*map(int, sys.argv[1:]), *(20_000, 1)[len(sys.argv) - 1 :])
    warnings.simplefilter("ignore")
    start = time.process_time()
    opened, refused = search(count, seed)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    took = time.process_time() - start
    print(f"{opened} opened, {refused} refused, {took:.1f} s of CPU, {memory} MB at most")

"""Arrays as the bytes of a file."""

import io

import numpy as np


def npz_of(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def npy_of(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()

"""Python's values as the library's JSON and text have them."""

from __future__ import annotations

import contextlib
import os
from typing import Any

import numpy as np

from ._errors import _refuse


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays, and paths, as JSON has them."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    raise TypeError(f"a parameter of type {type(value).__name__}")


def _word(where: str, value: Any) -> str:
    """A name, which the library has as UTF-8. A name of a file may hold bytes that are none: they have no place here."""
    if isinstance(value, str):
        with contextlib.suppress(UnicodeEncodeError):
            value.encode()
            return value
    _refuse(where, repr(value), "text that is UTF-8")

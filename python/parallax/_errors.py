"""Errors of this package that Python itself finds, in parts as the library's are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from ._parallax import ConfigError, UnsupportedError


def _refuse(pointer: str, found: str, expected: str, hint: str = "") -> NoReturn:
    error = ConfigError(f"{pointer + ': ' if pointer else ''}found {found}, expected {expected}{'. ' + hint if hint else ''}")
    error.pointer, error.found, error.expected, error.hint = pointer, found, expected, hint
    raise error


def _miss(text: str, reasons: Sequence[str]) -> NoReturn:
    error = UnsupportedError(text)
    error.reasons = tuple(reasons)
    raise error

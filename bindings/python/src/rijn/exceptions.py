# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What can go wrong with a message, by the names of PyPI's cryptography.

Where that package is loaded, what is raised is its exception of the same name as well, so that its except clauses go on
working.
"""
from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["AlreadyFinalized", "AlreadyUpdated", "InvalidTag", "NotYetFinalized"]


class _Named(Exception):
    """Pickles by its name: the class that is raised may be one that was made for it, of what is loaded here."""

    def __reduce__(self) -> tuple[object, ...]:
        return (_made, (self.__class__.__name__, self.args), self.__dict__ or None)


class InvalidTag(_Named):
    """A message is not authentic: key, nonce, data or associated data is not what it was.

    rows: of decrypt_rows() and decrypt_column(), the numbers of those that do not verify; otherwise None.
    """

    rows: Sequence[int] | None = None


class AlreadyFinalized(_Named, ValueError):
    """A message in pieces is finished."""


class AlreadyUpdated(_Named, ValueError):
    """Associated data comes before the text."""


class NotYetFinalized(_Named, ValueError):
    """A message in pieces has no tag before its end."""


_OURS: dict[str, type[_Named]] = {one.__name__: one for one in (InvalidTag, AlreadyFinalized, AlreadyUpdated, NotYetFinalized)}
_both: dict[type, type[_Named]] = {}


def _made(name: str, arguments: tuple[object, ...]) -> _Named:
    """The exception of that name, which is cryptography's as well where that is loaded."""
    ours = _OURS[name]
    theirs = getattr(sys.modules.get("cryptography.exceptions"), name, None)
    if theirs is None:
        return ours(*arguments)
    both = _both.get(theirs) or _both.setdefault(
        theirs, type(name, (ours, theirs), {"__module__": __name__, "__doc__": ours.__doc__})
    )
    return both(*arguments)


def _forged(text: str, rows: Sequence[int] | None) -> _Named:
    """The InvalidTag to raise. Called from C."""
    error = _made("InvalidTag", (text,) if text else ())
    if rows is not None:
        error.rows = rows  # type: ignore[attr-defined]
    return error


def _misused(name: str, call: str, text: str) -> _Named:
    """What to raise where calls come in a wrong order. Called from C."""
    return _made(name, (f"{call}: {text}",))

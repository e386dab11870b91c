# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What can go wrong with a message."""
from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["InvalidTag"]


class InvalidTag(Exception):
    """A message is not authentic: key, nonce, data or associated data is not what it was.

    rows: of decrypt_rows(), the numbers of the rows that do not verify; otherwise None.

    Where PyPI's cryptography is loaded, what is raised is its InvalidTag as well, so that its except clauses go on
    working.
    """

    rows: Sequence[int] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        # The class that is raised may be one that was made for it: other processes know this one.
        return (InvalidTag, self.args, {"rows": self.rows})


_both: dict[type, type[InvalidTag]] = {}


def _forged(text: str, rows: Sequence[int] | None) -> InvalidTag:
    """The exception to raise. Called from C."""
    cls: type[InvalidTag] = InvalidTag
    theirs = getattr(sys.modules.get("cryptography.exceptions"), "InvalidTag", None)
    if theirs is not None:
        cls = _both.get(theirs) or _both.setdefault(
            theirs, type("InvalidTag", (InvalidTag, theirs), {"__module__": __name__, "__doc__": InvalidTag.__doc__})
        )
    error = cls(text) if text else cls()
    error.rows = rows
    return error

# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Rijn: AES at the speed of the machine.

AESGCM has the methods of PyPI cryptography's, so that an import line is the whole port:

    from rijn import AESGCM, InvalidTag
    key = AESGCM.generate_key(256)
    sealed = AESGCM(key).encrypt(nonce, data, associated_data)

Beside them: many messages in one call (encrypt_rows, encrypt_column, encrypt_many), messages in pieces (encryptor), and XTS for sectors.
`python -m rijn` tells what this machine has, and measures.
"""
from ._rijn import (
    AESGCM,
    AESGCMSIV,
    GIL_FROM,
    XAES256GCM,
    XTS,
    GCMDecryptor,
    GCMEncryptor,
    __version__,
    info,
    selftest,
)
from .exceptions import AlreadyFinalized, AlreadyUpdated, InvalidTag, NotYetFinalized

__all__ = [
    "AESGCM",
    "AESGCMSIV",
    "AlreadyFinalized",
    "AlreadyUpdated",
    "GCMDecryptor",
    "GCMEncryptor",
    "GIL_FROM",
    "InvalidTag",
    "NotYetFinalized",
    "XAES256GCM",
    "XTS",
    "__version__",
    "info",
    "selftest",
]

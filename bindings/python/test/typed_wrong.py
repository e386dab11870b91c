# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What both checkers must find wrong. Never run."""
from rijn import AESGCM, XTS, GCMEncryptor

cipher = AESGCM("a text")  # wrong
cipher.encrypt(b"nonce", "a text")  # wrong
cipher.encrypt(b"nonce")  # wrong
cipher.encrypt_into(b"nonce", b"", None)  # wrong
number: int = cipher.encrypt(b"nonce", b"")  # wrong
GCMEncryptor().update("a text")  # wrong
text: bytes = XTS(b"").encrypt_sectors(b"", 0, out=bytearray())  # wrong
sure: list[bytes] = cipher.decrypt_many([b""], [b""])  # wrong
cipher.encrypt_many([b"n", 5], [b"text"])  # wrong
cipher.encrypt_many([b"n"], "text")  # wrong
cipher.encrypt_column((b"prefix", "7"), bytes(8), b"")  # wrong

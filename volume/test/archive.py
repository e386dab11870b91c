# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The images of VeraCrypt, TrueCrypt and BitLocker volumes that cryptsetup's own tests have, of Debian's source package."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../test/lib"))
import debian  # noqa: E402


def fetch(folder):
    """Their archives, in folder/tests, if it is not there."""
    debian.source(folder, "bookworm", "cryptsetup", lambda path: path.startswith("tests/") and path.endswith("-images.tar.xz"))

# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The images of VeraCrypt, TrueCrypt and BitLocker volumes that cryptsetup's own tests have, of Debian's source package."""
import os
import shutil
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../test/lib"))
import debian  # noqa: E402

MIB = 1 << 20


def put(to, source):
    """A copy with holes: most of an image is zeros."""
    with open(to, "wb") as f:
        while piece := source.read(MIB):
            if piece.count(0) == len(piece):
                f.seek(len(piece), os.SEEK_CUR)
            else:
                f.write(piece)
        f.truncate(f.tell())


def copy(name, to):
    with open(name, "rb") as f:
        put(to, f)


def fetch(folder):
    """Unpacked into folder/tcrypt and folder/bitlk, if they are not there."""
    debian.source(folder, "bookworm", "cryptsetup", lambda path: path.startswith("tests/") and path.endswith("-images.tar.xz"))
    for kind in ("tcrypt", "bitlk"):
        new = os.path.join(folder, kind + ".new")
        if os.path.exists(os.path.join(folder, kind)):
            continue
        shutil.rmtree(new, ignore_errors=True)
        os.mkdir(new)
        with tarfile.open(os.path.join(folder, f"tests/{kind}-images.tar.xz")) as tar:
            for member in tar:
                if member.isfile():
                    put(os.path.join(new, os.path.basename(member.name)), tar.extractfile(member))
        os.rename(new, os.path.join(folder, kind))

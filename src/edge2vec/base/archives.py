"""Arrays in zip archives (.npz), without pickle: sizes are checked before anything is unpacked."""

import math
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

# What reading a damaged archive may raise.
UNREADABLE = (
    *(OSError, ValueError, EOFError, TypeError, RuntimeError, KeyError),
    *(zipfile.BadZipFile, zlib.error),
)
# Zip stores when a member was written; always the same, equal contents make equal files.
_DATE = (1980, 1, 1, 0, 0, 0)

Check = Callable[[tuple[int, ...], "np.dtype[Any]"], None]


def read_array(archive: zipfile.ZipFile, name: str, check: Check) -> np.ndarray:
    """Return an array of an archive; damage raises one of `UNREADABLE`.

    check: is handed shape and type before the array is read, and raises what it likes.
    """
    member = archive.getinfo(f"{name}.npy")
    with archive.open(member) as opened:
        version = np.lib.format.read_magic(opened)
        read = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            read = np.lib.format.read_array_header_2_0
        shape, _, kind = read(opened)
    check(shape, kind)
    size = math.prod(shape) * kind.itemsize
    if size > member.file_size:
        raise ValueError(f"it has {member.file_size} bytes for an array of {size}")
    with archive.open(member) as opened:
        array: np.ndarray = np.lib.format.read_array(opened, allow_pickle=False)
        # Zip checks its sums at the end of a member.
        opened.read()
    return array


def write_array(archive: zipfile.ZipFile, name: str, array: np.ndarray) -> None:
    """Add an array to an archive that is open for writing."""
    with archive.open(new_member(f"{name}.npy"), "w", force_zip64=True) as opened:
        np.lib.format.write_array(opened, np.ascontiguousarray(array), allow_pickle=False)


def new_member(name: str) -> zipfile.ZipInfo:
    """Return what an archive needs to know of a compressed member."""
    member = zipfile.ZipInfo(name, _DATE)
    member.compress_type = zipfile.ZIP_DEFLATED
    return member

"""Folders of pictures as one flat buffer, the form in which they lie on the device."""

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from edge2vec.base.types import DoubleArray, UInt8Array
from edge2vec.puzzle.picture import READABLE, read_picture
from edge2vec.training.artefacts import check_artefacts
from edge2vec.training.copies import scaled_copies
from edge2vec.training.errors import TrainingError
from edge2vec.training.log import CURVES, is_run

LongArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Folder:
    """The pictures of one folder, [H, W, 3] each, in the order of their names."""

    path: Path
    names: tuple[str, ...]
    pictures: tuple[UInt8Array, ...]

    def __len__(self) -> int:
        """Return the number of pictures."""
        return len(self.pictures)

    def held_out(self, every: int) -> tuple["Folder", "Folder"]:
        """Return the pictures to train with and those held out: each `every`-th; 0 holds none."""
        numbers = range(len(self))
        kept_back = {number for number in numbers if every and number % every == 0}
        return (
            self._only([number for number in numbers if number not in kept_back]),
            self._only(sorted(kept_back)),
        )

    def _only(self, numbers: Sequence[int]) -> "Folder":
        return Folder(
            self.path,
            tuple(self.names[number] for number in numbers),
            tuple(self.pictures[number] for number in numbers),
        )


@dataclass(frozen=True, eq=False)
class PictureBuffer:
    """Pictures one after the other, [T] uint8 in rows of RGB, and where each begins.

    offsets, heights, widths: [P] int64.
    sources: [P] int64, the photograph a copy was scaled from.
    inter, intra: [P] float64, how often a picture is drawn for either kind of pairs; sum 1.
    """

    pixels: UInt8Array
    offsets: LongArray
    heights: LongArray
    widths: LongArray
    sources: LongArray
    inter: DoubleArray
    intra: DoubleArray

    @property
    def digest(self) -> str:
        """Return a hash of all that is drawn from."""
        digest = hashlib.blake2b(self.pixels.data, digest_size=16)
        for part in (self.heights, self.widths, self.sources, self.inter, self.intra):
            digest.update(part.tobytes())
        return digest.hexdigest()


def read_folder(path: str | Path, *, piece_size: int, allow_artefacts: bool = True) -> Folder:
    """Return the pictures of a folder; each must have room for 2 x 2 pieces."""
    path = Path(path)
    if not path.is_dir():
        raise TrainingError(f"{path}: no such folder; give a folder of pictures")
    files = _picture_files(path)
    if not files:
        raise TrainingError(f"{path}: no pictures; expected {', '.join(sorted(READABLE))} files")
    with ThreadPoolExecutor() as pool:
        pictures = tuple(pool.map(read_picture, files))
    for file, picture in zip(files, pictures, strict=True):
        height, width = picture.shape[:2]
        if min(height, width) < 2 * piece_size:
            raise TrainingError(
                f"{file}: {width}x{height} px; expected at least {2 * piece_size} px both ways, "
                f"room for 2 x 2 pieces of {piece_size} px"
            )
    if not allow_artefacts:
        check_artefacts(pictures, folder=str(path))
    return Folder(path, tuple(file.name for file in files), pictures)


def _picture_files(folder: Path) -> list[Path]:
    """Return the pictures in the order of their names, without hidden files and a run's curves."""
    hidden = {CURVES} if is_run(folder) else set()
    return sorted(
        file
        for file in folder.iterdir()
        if file.suffix.lower() in READABLE
        and not file.name.startswith(".")
        and file.name not in hidden
    )


def buffer_of(
    folders: Sequence[Folder],
    *,
    piece_size: int,
    scales: Sequence[float] = (1.0,),
    shares: Sequence[float] = (),
    intra_shares: Sequence[float] = (),
) -> PictureBuffer:
    """Return all pictures in one buffer, each at all scales that leave it 2 x 2 pieces.

    shares: how often each folder is drawn from; none: as often as it has pictures.
    intra_shares: the same for pairs from one picture; none: as `shares`. Within a folder pictures
        are drawn for these as often as they have pieces, so that small ones are not worn out.
    """
    pictures: list[UInt8Array] = []
    sources: list[int] = []
    homes: list[int] = []
    photographs = [(home, one) for home, folder in enumerate(folders) for one in folder.pictures]
    with ThreadPoolExecutor() as pool:
        families = pool.map(
            lambda number: scaled_copies(photographs[number][1], scales, turn=number),
            range(len(photographs)),
        )
    for source, ((home, photograph), family) in enumerate(zip(photographs, families, strict=True)):
        roomy = [copy for copy in family if min(copy.shape[:2]) >= 2 * piece_size]
        copies = roomy or [photograph]
        pictures += copies
        sources += [source] * len(copies)
        homes += [home] * len(copies)
    if not pictures:
        raise TrainingError("no pictures left to train with; hold out fewer or give more")
    sizes = np.array([picture.size for picture in pictures], dtype=np.int64)
    heights, widths = np.array([picture.shape[:2] for picture in pictures], dtype=np.int64).T
    pieces = (heights // piece_size) * (widths // piece_size)
    return PictureBuffer(
        pixels=np.concatenate([picture.reshape(-1) for picture in pictures]),
        offsets=np.cumsum(sizes) - sizes,
        heights=heights,
        widths=widths,
        sources=np.array(sources, dtype=np.int64),
        inter=_weights(len(folders), homes, shares, np.ones(len(homes))),
        intra=_weights(len(folders), homes, intra_shares or shares, pieces.astype(np.float64)),
    )


def _weights(
    folders: int, homes: Sequence[int], shares: Sequence[float], sizes: DoubleArray
) -> DoubleArray:
    """Return how often each picture [P] is drawn: within its folder as its size [P] says."""
    total = np.bincount(homes, weights=sizes, minlength=folders)
    share = np.array(shares, dtype=np.float64) if shares else total / total.sum()
    if len(share) != folders or share.min() < 0 or share.sum() <= 0:
        raise TrainingError(
            f"shares {tuple(shares)} for {folders} folders; "
            "expected one number a folder, none negative and not all 0"
        )
    if (total[share > 0] == 0).any():
        raise TrainingError("a folder has a share but no pictures left to train with")
    weights: DoubleArray = (share / np.maximum(total, 1))[list(homes)] * sizes
    weights /= weights.sum()
    return weights

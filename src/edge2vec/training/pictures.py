"""Folders of pictures as one flat buffer, the form in which they lie on the device.

Photographs may be copied at other scales, as variously made as pictures in the world are. The block
grid that lossy compression leaves is found and refused, since a network would learn it instead of
pictures: the mean absolute step between neighbouring columns (and rows) is taken by their number
modulo 4, 8 and 16. In pictures scaled down from larger ones the phases differ by under 1 %, after
JPEG of quality 75 by 20 % and more, after quality 92 by 6 %.
"""

import hashlib
import itertools
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge2vec.base.errors import PuzzleError, TrainingError
from edge2vec.base.types import DoubleArray, UInt8Array
from edge2vec.puzzle.picture import read_picture
from edge2vec.puzzle.reading import picture_files
from edge2vec.training.events import CURVES, is_run

PERIODS = (4, 8, 16)
# A step counts no more than this, or a few hard contours would outweigh a whole picture.
_LARGEST_STEP = 32
# Pictures scaled down by one filter teach a network that filter's traces; so copies take turns.
FILTERS = (
    Image.Resampling.LANCZOS,
    Image.Resampling.BICUBIC,
    Image.Resampling.HAMMING,
    Image.Resampling.BOX,
)
LongArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Folder:
    """The pictures of one folder, [H, W, 3] each, in the order of `picture_files`."""

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
    try:
        files = picture_files(path)
    except PuzzleError as error:
        raise TrainingError(str(error)) from None
    # The curves of a run are no picture.
    files = [file for file in files if file.name != CURVES or not is_run(path)]
    if not files:
        raise TrainingError(f"{path}: no pictures in it but the curves of a run")
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


def scaled_copies(
    photograph: UInt8Array, scales: Sequence[float], *, turn: int
) -> list[UInt8Array]:
    """Return the photograph at all scales, each by the next filter from number `turn` on."""
    return [
        _scaled(photograph, scale, FILTERS[(turn + number) % len(FILTERS)])
        for number, scale in enumerate(scales)
    ]


def _scaled(picture: UInt8Array, scale: float, kernel: Image.Resampling) -> UInt8Array:
    """Return the picture scaled; the filter grows with the reduction and leaves no aliasing.

    The ratio is kept to the letter and pixels at the far edges are given up for it: any other
    ratio would leave a drifting phase, which tells where in the picture a piece was.
    """
    if scale == 1:
        return picture
    ratio = Fraction(scale).limit_denominator(64)
    height, width = (int(length * ratio) for length in picture.shape[:2])
    seen = (0, 0, float(width / ratio), float(height / ratio))
    return np.array(Image.fromarray(picture).resize((width, height), kernel, box=seen))


def check_artefacts(pictures: Sequence[UInt8Array], *, folder: str) -> None:
    """Raise if the pictures of a folder share a block grid."""
    found = spreads(pictures)
    worst = max(PERIODS, key=lambda period: found[period] / limit(period, pictures))
    allowed = limit(worst, pictures)
    if found[worst] > allowed:
        raise TrainingError(
            f"{folder}: the steps between pixels vary by {found[worst]:.1%} with a period of "
            f"{worst} px, expected at most {allowed:.1%}: lossy compression (JPEG, WebP), which "
            "the network would learn instead of the pictures; use pictures scaled down by more "
            "than two and kept lossless, or set allow_artefacts=true"
        )


def spreads(pictures: Sequence[UInt8Array]) -> dict[int, float]:
    """Return, for each period, how far apart its phases lie over all pictures; 0.2 is 20 %."""
    found = dict.fromkeys(PERIODS, 0.0)
    with ThreadPoolExecutor() as pool:
        for axis in (0, 1):
            profiles = list(pool.map(steps_along, pictures, itertools.repeat(axis)))
            for period in PERIODS:
                long = [steps for steps in profiles if len(steps) > 2 * period]
                if long:
                    mean = np.mean([by_phase(steps, period) for steps in long], axis=0)
                    found[period] = max(found[period], float(np.ptp(mean)))
    return found


def limit(period: int, pictures: Sequence[UInt8Array]) -> float:
    """Return the largest spread that chance explains; with many pictures chance explains less.

    Measured on clean pictures of some 400 px: 0.2, 0.5 and 1.2 % for 80 of them, up to 1.0, 1.5
    and 3.8 % for 4 to 10.
    """
    evidence = sum(height + width for height, width, _ in (one.shape for one in pictures)) / 800
    return period / 4 * (0.006 + 0.05 / math.sqrt(evidence))


def by_phase(steps: DoubleArray, period: int) -> DoubleArray:
    """Return the step at each phase over the mean step around it, [period]; 1 without a grid."""
    window = np.r_[0.5, np.ones(period - 1), 0.5] / period
    around = np.convolve(steps, window, "valid")
    half = period // 2
    ratio = (steps[half:-half] + 0.05) / (around + 0.05)
    phase = (np.arange(len(ratio)) + half) % period
    return np.bincount(phase, ratio, minlength=period) / np.bincount(phase, minlength=period)


def steps_along(picture: UInt8Array, axis: int) -> DoubleArray:
    """Return the mean absolute step at each column (axis 1) or row (axis 0) of [H, W, 3] uint8."""
    steps = np.abs(np.diff(picture.astype(np.int16), axis=axis))
    means: DoubleArray = np.minimum(steps, _LARGEST_STEP).mean(axis=(1 - axis, 2), dtype=np.float64)
    return means

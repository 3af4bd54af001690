"""What happens to pieces in the world: light, noise, lost frames, lossy sheets, lost pieces.

Damage is applied in the order in which it happens: the picture is compressed and fades, pieces are
cut beside their place, the camera or scanner blurs them, adds dust, light and noise, the frame is
lost, and the sheet of shuffled pieces is compressed. Each kind has random numbers of its own, so
adding one kind leaves the others as they were.
"""

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from edge2vec.base.errors import PuzzleError, UnknownNameError
from edge2vec.base.types import DoubleArray, IntArray, UInt8Array

# What a faded print tends to, as RGB.
_PAPER = (226.0, 212.0, 180.0)


@dataclass(frozen=True)
class DamageKind:
    """One kind of damage.

    summary: what it does and the unit of its strength.
    least, most: the strengths allowed; whole: only whole numbers.
    """

    summary: str
    least: float
    most: float
    whole: bool = False


DAMAGE_KINDS: dict[str, DamageKind] = {
    "jpeg": DamageKind("the picture is saved as JPEG before it is cut; its quality", 1, 100, True),
    "fade": DamageKind("all pieces yellow and lose contrast alike; a share", 0, 1),
    "shift": DamageKind("each piece is cut off its place, by up to so many px", 0, 8),
    "turn": DamageKind("each piece is cut at an angle, of up to so many degrees", 0, 15),
    "blur": DamageKind("each piece is blurred; standard deviation in px", 0, 8),
    "scratch": DamageKind("dust and hairs; how many a piece, in the mean", 0, 20),
    "light": DamageKind("each piece has a brightness and colour of its own; a share", 0, 1),
    "noise": DamageKind("each pixel has noise; standard deviation in levels", 0, 128),
    "frame": DamageKind("the outermost pixels of each piece are lost; how many", 0, 99, True),
    "sheet-jpeg": DamageKind("the sheet of pieces is saved as JPEG; its quality", 1, 100, True),
}
SCAN = "scan"
# What `scan:1` stands for; other strengths multiply shift, turn, light and noise, and take as much
# more off the quality.
_SCAN = {"shift": 0.7, "turn": 1.0, "light": 0.05, "noise": 2.0, "frame": 2.0, "sheet-jpeg": 90.0}
_MOST_SCAN = 5.0
_SEPARATOR, _COLON = ",", ":"


@dataclass(frozen=True)
class Damage:
    """Kinds of damage with their strengths, as in `light:0.05,noise:4`.

    strengths: the kinds as asked for, `scan` among them.
    """

    strengths: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        """Refuse unknown kinds, strengths that make no sense, and kinds given twice."""
        for name, strength in self.strengths:
            _check_strength(name, strength)
        every = [kind for name, _ in self.strengths for kind in _parts(name)]
        twice = sorted({kind for kind in every if every.count(kind) > 1})
        if twice:
            inside = f" ({SCAN} has {', '.join(_SCAN)})" if SCAN in dict(self.strengths) else ""
            raise PuzzleError(f"damage {self}: {twice[0]} is given twice{inside}")

    @classmethod
    def of(cls, text: "str | Damage | None") -> "Damage":
        """Return damage from text like `light:0.05,noise:4`; none for None and the empty text."""
        if isinstance(text, Damage):
            return text
        parts = [part.strip() for part in (text or "").split(_SEPARATOR) if part.strip()]
        return cls(tuple(_parsed(part) for part in parts))

    def __str__(self) -> str:
        """Return the text that `of` reads."""
        return _SEPARATOR.join(f"{name}{_COLON}{value:g}" for name, value in self.strengths)

    def __bool__(self) -> bool:
        """Return whether there is any damage."""
        return bool(self.strengths)

    @property
    def all(self) -> dict[str, float]:
        """Return the strength of every kind, `scan` taken apart."""
        found: dict[str, float] = {}
        for name, strength in self.strengths:
            found |= _scan(strength) if name == SCAN else {name: strength}
        return found

    @property
    def frame(self) -> int | None:
        """Return the width of the lost frame, None if nothing is said of it."""
        width = self.all.get("frame")
        return None if width is None else int(width)


def lost_frame(damage: Damage, erode: int | None, *, usual: int) -> int:
    """Return the width of the lost frame: said by one of damage and `erode`, else the usual one."""
    if damage.frame is None:
        return usual if erode is None else erode
    if erode is not None:
        raise PuzzleError(
            f"erosion {erode} and damage {damage}, which has a frame of {damage.frame} px; "
            "give one of them"
        )
    return damage.frame


def damaged_picture(pixels: UInt8Array, damage: Damage) -> UInt8Array:
    """Return the picture [H, W, 3] as it is before it is cut."""
    strengths = damage.all
    if "jpeg" in strengths:
        pixels = _through_jpeg(pixels, int(strengths["jpeg"]))
    if strengths.get("fade"):
        share = strengths["fade"]
        faded = pixels * (1 - share) + share * np.array(_PAPER)
        pixels = np.rint(faded).astype(np.uint8)
    return pixels


def cut_askew(
    pixels: UInt8Array, corners: IntArray, size: int, damage: Damage, *, seed: int
) -> UInt8Array:
    """Return pieces [N, S, S, 3] cut beside their places, bicubic; the picture's rim is repeated.

    corners: [N, 2], row and column where each piece begins in the picture [H, W, 3].
    """
    count, strengths = len(corners), damage.all
    reach = strengths.get("shift", 0.0)
    moves = _rng(seed, "shift").uniform(-reach, reach, size=(count, 2))
    most = np.deg2rad(strengths.get("turn", 0.0))
    angles = _rng(seed, "turn").uniform(-most, most, size=count)
    place = np.arange(size) - (size - 1) / 2
    cos, sin = np.cos(angles)[:, None, None], np.sin(angles)[:, None, None]
    middle = corners + (size - 1) / 2 + moves
    down = middle[:, 0, None, None] + sin * place + cos * place[:, None]
    right = middle[:, 1, None, None] + cos * place - sin * place[:, None]
    return _sampled(pixels, down, right)


def cubic_weights(part: Any) -> list[Any]:
    """Return the weights of the pixels -1, 0, 1 and 2 steps on, of arrays or tensors of any shape.

    part: how far past pixel 0, from 0 to 1. The filter is that of Keys (1981) with a = -0.5.
    """
    outer = [((-0.5 * x + 2.5) * x - 4) * x + 2 for x in (1 + part, 2 - part)]
    inner = [(1.5 * x - 2.5) * x * x + 1 for x in (part, 1 - part)]
    return [outer[0], inner[0], inner[1], outer[1]]


def damaged_pieces(pieces: UInt8Array, damage: Damage, *, seed: int) -> UInt8Array:
    """Return pieces [N, S, S, 3] as a camera or scanner sees them; their frames are still there."""
    strengths = {kind: value for kind, value in damage.all.items() if value}
    if not strengths.keys() & {"blur", "scratch", "light", "noise"}:
        return pieces
    seen = pieces.astype(np.float32)
    if "blur" in strengths:
        seen = _blurred(seen, strengths["blur"])
    if "scratch" in strengths:
        _scratch(seen, strengths["scratch"], _rng(seed, "scratch"))
    if "light" in strengths:
        share = strengths["light"]
        rng, levels = _rng(seed, "light"), light_bias(share)
        gain = 1 + rng.uniform(-share, share, size=(len(seen), 1, 1, 1))
        bias = rng.uniform(-levels, levels, size=(len(seen), 1, 1, 3))
        seen = seen * gain.astype(np.float32) + bias.astype(np.float32)
    if "noise" in strengths:
        grain = _rng(seed, "noise").normal(0, strengths["noise"], size=seen.shape)
        seen = seen + grain.astype(np.float32)
    return np.clip(np.rint(seen), 0, 255).astype(np.uint8)


def light_bias(share: float) -> float:
    """Return the levels by which `light` moves each channel: 4 at 5 %, 10 at 15 %."""
    return min(80 * share, 1 + 60 * share)


def damaged_sheet(sheet: UInt8Array, damage: Damage) -> UInt8Array:
    """Return the sheet [H, W, 3] of shuffled pieces as it is after it was saved."""
    quality = damage.all.get("sheet-jpeg")
    return sheet if quality is None else _through_jpeg(sheet, int(quality))


def eroded(pieces: UInt8Array, width: int) -> UInt8Array:
    """Return the pieces [N, S, S, 3] with a frame of `width` pixels set to black."""
    worn = np.zeros_like(pieces)
    inner = slice(width, pieces.shape[1] - width)
    worn[:, inner, inner] = pieces[:, inner, inner]
    return worn


def survivors(count: int, missing: float, rng: np.random.Generator) -> IntArray:
    """Return the sorted numbers of the pieces left when a share of them is lost at random."""
    if not 0 <= missing < 1:
        raise PuzzleError(f"missing {missing}; expected a share from 0 to under 1")
    lost = round(count * missing)
    if count - lost < 2:
        raise PuzzleError(
            f"missing {missing} leaves {count - lost} of {count} pieces; keep at least 2"
        )
    return np.sort(rng.permutation(count)[lost:]).astype(np.int32)


def _parsed(text: str) -> tuple[str, float]:
    """Return a kind and its strength from `kind:strength`; `scan` alone is `scan:1`."""
    name, colon, value = (part.strip() for part in text.partition(_COLON))
    if name not in (*DAMAGE_KINDS, SCAN):
        raise UnknownNameError("damage", name, (*DAMAGE_KINDS, SCAN))
    if not colon and name == SCAN:
        return name, 1.0
    try:
        return name, float(value)
    except ValueError:
        raise PuzzleError(f"damage {text!r}; expected {name}:STRENGTH, a number") from None


def _check_strength(name: str, strength: float) -> None:
    """Raise unless a kind of that name can have that strength."""
    if name == SCAN:
        kind = DamageKind("a scan", 0, _MOST_SCAN)
    elif name in DAMAGE_KINDS:
        kind = DAMAGE_KINDS[name]
    else:
        raise UnknownNameError("damage", name, (*DAMAGE_KINDS, SCAN))
    if not kind.least <= strength <= kind.most or (kind.whole and strength != int(strength)):
        what = "a whole number" if kind.whole else "a number"
        raise PuzzleError(
            f"damage {name}:{strength:g}; expected {what} from {kind.least:g} to {kind.most:g}"
        )


def _parts(name: str) -> list[str]:
    """Return the kinds that a name stands for."""
    return list(_SCAN) if name == SCAN else [name]


def _scan(strength: float) -> dict[str, float]:
    """Return what a scan of this strength is made of."""
    scaled = {name: _SCAN[name] * strength for name in ("shift", "turn", "light", "noise")}
    quality = 100 - (100 - _SCAN["sheet-jpeg"]) * strength
    return scaled | {"frame": _SCAN["frame"], "sheet-jpeg": max(1.0, round(quality))}


def _rng(seed: int, kind: str) -> np.random.Generator:
    """Return the random numbers of one kind of damage."""
    return np.random.default_rng([seed, 1 + list(DAMAGE_KINDS).index(kind)])


def _through_jpeg(pixels: UInt8Array, quality: int) -> UInt8Array:
    """Return the picture [H, W, 3] saved as JPEG, its colours halved in size, and read again."""
    stored = io.BytesIO()
    Image.fromarray(pixels).save(stored, "JPEG", quality=quality, subsampling="4:2:0")
    return np.array(Image.open(stored).convert("RGB"))


def _sampled(pixels: UInt8Array, down: DoubleArray, right: DoubleArray) -> UInt8Array:
    """Return the picture [H, W, 3] at rows and columns [N, S, S] between its pixels, bicubic."""
    height, width = pixels.shape[:2]
    top, left = np.floor(down).astype(np.int64), np.floor(right).astype(np.int64)
    by_row, by_col = cubic_weights(down - top), cubic_weights(right - left)
    found = np.zeros((*down.shape, 3))
    for row in range(4):
        rows = np.clip(top + row - 1, 0, height - 1)
        for col in range(4):
            cols = np.clip(left + col - 1, 0, width - 1)
            found += (by_row[row] * by_col[col])[..., None] * pixels[rows, cols]
    return np.clip(np.rint(found), 0, 255).astype(np.uint8)


def _blurred(pieces: NDArray[np.float32], deviation: float) -> NDArray[np.float32]:
    """Return pieces [N, S, S, 3] under a Gaussian, each by itself; its rim is repeated."""
    reach = int(np.ceil(3 * deviation))
    place = np.arange(-reach, reach + 1)
    weights = np.exp(-0.5 * (place / deviation) ** 2)
    weights /= weights.sum()
    for axis in (1, 2):
        padding = [(0, 0)] * 4
        padding[axis] = (reach, reach)
        around = np.pad(pieces, padding, mode="edge")
        size = pieces.shape[axis]
        pieces = np.zeros_like(pieces)
        for step, weight in enumerate(weights):
            window = [slice(None)] * 4
            window[axis] = slice(step, step + size)
            pieces += np.float32(weight) * around[tuple(window)]
    return pieces


def _scratch(pieces: NDArray[np.float32], marks: float, rng: np.random.Generator) -> None:
    """Draw specks of dust, and a hair for every third of them, on pieces [N, S, S, 3] in place."""
    size = pieces.shape[1]
    counts = rng.poisson(marks, size=len(pieces))
    for number in np.repeat(np.arange(len(pieces)), counts):
        points = rng.uniform(0, size, size=(3, 2))
        shade, width = rng.choice([20.0, 235.0]), rng.uniform(0.4, 0.9)
        if rng.random() < 1 / 3:
            line = _curve(points[0], points[1], points[2])
        else:
            line, width = points[:1], rng.uniform(0.6, 1.6)
        strength = 0.8 * np.clip(width + 0.5 - _distance(size, line), 0, 1)[:, :, None]
        pieces[number] += (strength * (shade - pieces[number])).astype(np.float32)


def _curve(start: DoubleArray, bend: DoubleArray, end: DoubleArray) -> DoubleArray:
    """Return 40 points [40, 2] along the curve from start to end that is drawn to the bend."""
    along = np.linspace(0, 1, 40)[:, None]
    return np.asarray((1 - along) ** 2 * start + 2 * along * (1 - along) * bend + along**2 * end)


def _distance(size: int, points: DoubleArray) -> DoubleArray:
    """Return how far each pixel [S, S] is from the nearest of the points [P, 2]."""
    place = np.arange(size)
    down = place[:, None, None] - points[:, 0]
    right = place[None, :, None] - points[:, 1]
    return np.asarray(np.sqrt(down**2 + right**2).min(axis=2))

"""Results of every kind, made up: numbers that look plausible and mean nothing."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.cut import cut
from research.report.sections.embeddings import packed
from tests.conftest import SAMPLES

Line = dict[str, Any]


def row(**changes: Any) -> Line:
    """A line of `edge2vec evaluate`."""
    usual: Line = {
        "dataset": "mit",
        "picture": "1.png",
        "pieces": 432,
        "grid": [18, 24],
        "piece_size": 28,
        "erode": 1,
        "type": 1,
        "measure": "mgc",
        "post": "none",
        "solver": "gallagher",
        "run": 0,
        "seed": 0,
        "top1": 50.0,
        "neighbour": 40.0,
        "direct": 10.0,
        "perfect": 0.0,
        "largest_component": 20.0,
        "measure_seconds": 0.5,
        "solve_seconds": 0.25,
        "peak_mb": 100.0,
        "weights": None,
    }
    return usual | changes


def rows(
    rng: np.random.Generator,
    *,
    sets: dict[str, tuple[int, int]],
    measures: dict[str, float],
    posts: dict[str, str],
    solvers: Iterable[str],
    runs: int = 1,
    **changes: Any,
) -> list[Line]:
    """Rows of all sets (pictures, pieces), measures (mean Top-1), both types and all solvers."""
    return [
        row(
            dataset=name,
            picture=f"{number}.png",
            pieces=pieces,
            type=type_,
            measure=measure,
            post=posts[measure],
            solver=solver,
            run=run,
            weights="abc-int8" if posts[measure] == "paper" else None,
            top1=float(np.clip(mean - 8 * type_ + 3 * number, 0, 100)),
            neighbour=float(np.clip(mean - 9 * type_ + rng.normal(0, 6), 0, 100)),
            perfect=100.0 * (number == 0),
            **changes,
        )
        for name, (pictures, pieces) in sets.items()
        for measure, mean in measures.items()
        for type_ in (1, 2)
        for number in range(pictures)
        for solver in solvers
        for run in range(runs if solver == "genetic" else 1)
    ]


def write(path: Path, lines: Iterable[Line]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def of_kind(kind: str, lines: Iterable[Line]) -> list[Line]:
    return [{"kind": kind, **line} for line in lines]


def everything(folder: Path) -> Path:
    """A folder with results for every section."""
    rng = np.random.default_rng(0)
    means = {"ssd": 42.0, "pbc": 44, "l1": 47, "mgc": 54, "ten": 55, "e2e": 70, "edge2vec": 71}
    posts = {name: "paper" if name in ("ten", "e2e", "edge2vec") else "none" for name in means}
    both = {"mit": (20, 432), "div2k": (6, 864)}
    solvers = ("gallagher", "genetic")
    write(
        folder / "auto.jsonl",
        rows(rng, sets=both, measures=means, posts=posts, solvers=solvers, runs=3),
    )
    best = {"mgc": 62.0, "edge2vec": 78.0}
    for post in ("sinkhorn", "loops"):
        own = rows(
            rng,
            sets={"mit": (20, 432)},
            measures={name: mean + 9 * (post == "loops") for name, mean in best.items()},
            posts=dict.fromkeys(best, post),
            solvers=("gallagher", "regrowth"),
        )
        write(folder / f"{post}.jsonl", [one | {"weights": _weights(one)} for one in own])
    for erode in (0, 2, 3, 4):
        some = {name: max(5.0, mean + 30 - 25 * erode) for name, mean in means.items()}
        lines = rows(rng, sets={"mit": (20, 432)}, measures=some, posts=posts, solvers=("none",))
        write(folder / f"erosion-{erode}.jsonl", [one | {"erode": erode} for one in lines])
    large = {"mcgill": (20, 540), "bgu3300": (3, 3300), "sholomon22834": (3, 22834)}
    grown = rows(
        rng,
        sets=large,
        measures=best,
        posts=dict.fromkeys(best, "loops"),
        solvers=("regrowth",),
    )
    write(folder / "growth.jsonl", [one | {"weights": _weights(one)} for one in grown])
    sixty = {"mit": (20, 70), "mcgill": (20, 88), "bgu805": (20, 150)}
    wide = {"mgc": 80.0, "edge2vec": 95.0}
    lines = rows(rng, sets=sixty, measures=wide, posts=posts, solvers=("gallagher", "regrowth"))
    write(folder / "pieces64.jsonl", [one | {"piece_size": 64, "erode": 2} for one in lines])
    _experiments(folder, rng)
    return folder


def _weights(line: Line) -> str | None:
    return "abc-int8" if line["measure"] == "edge2vec" else None


def _experiments(folder: Path, rng: np.random.Generator) -> None:
    looks = {"a_pair": 2, "a_puzzle": 8, "growth": "N"}
    networks = [
        {"name": "edge2vec", "parameters": 2053056, "macs": 175264768, **looks},
        {"name": "edge2vec-x", "parameters": 2170528, "macs": 167111168, **looks},
    ]
    write(folder / "networks.jsonl", of_kind("network", networks))
    times = [
        {
            "measure": name,
            "device": "CPU, 2 threads",
            "pieces": pieces,
            "seconds": [scale * pieces**power * factor for factor in (1.0, 1.1, 1.4)],
        }
        for name, scale, power in (("mgc", 2e-6, 1.9), ("edge2vec", 2e-3, 1.2))
        for pieces in (100, 200, 400, 800, 1600, 3200)
    ]
    write(folder / "times.jsonl", of_kind("time", times))
    masking = [
        {
            "network": name,
            "dataset": "mit",
            "picture": f"{number}.png",
            "type": type_,
            "share": share,
            "top1": 70.0 - number - 5 * type_ - slope * share,
        }
        for name, slope in (("lambda=0", 0.8), ("lambda=1", 0.4))
        for type_ in (1, 2)
        for number in range(20)
        for share in (0, 10, 20, 30, 40, 50)
    ]
    write(folder / "masking.jsonl", of_kind("masking", masking))
    write(folder / "ablations.jsonl", of_kind("ablation", ablation_lines()))
    maps = [
        {
            "network": name,
            "picture": "lake.webp",
            "grid": [10, 12],
            "hits": hits,
            "gap": 1.2,
            "table": packed(_map(rng, 120, sharp)),
        }
        for name, hits, sharp in (("triplet", 55.0, 0.4), ("HBT", 81.0, 0.1))
    ]
    write(folder / "distances.jsonl", of_kind("distances", maps))
    boards = [board_line(rng, "samples", swaps) for swaps in (9, 2)]
    boards += [board_line(rng, "mit", swaps) for swaps in (9, 2)]
    write(folder / "gallery.jsonl", of_kind("board", boards))


def ablation_lines() -> list[Line]:
    studies = {
        "groups": ("1", "2", "4", "8", "16"),
        "dimension": ("40", "80", "160", "320"),
        "batch": ("64", "128", "256", "512", "1024"),
        "sampling": ("inter", "1:1", "intra"),
        "lambda": ("0", "0.1", "0.3", "1"),
        "loss": ("triplet", "hbt"),
        "towers": ("twins (TEN)", "one network"),
    }
    return [
        {
            "study": study,
            "value": value,
            "settings": ["preset=best"],
            "base": ["preset=best"],
            "steps": 2000,
            "seconds": 60.0,
            "pictures": 40,
            "validation": {"held-out train": [0.7 + 0.01 * at, 0.6 + 0.012 * at]},
            "curve": [
                {
                    "step": step,
                    "seconds": step / 30,
                    "type1": 0.7 + 0.03 * at - 30 / step,
                    "type2": 0.6 + 0.03 * at - 30 / step,
                }
                for step in range(125, 2001, 125)
            ],
        }
        for study, values in studies.items()
        for at, value in enumerate(values)
    ]


def _map(rng: np.random.Generator, pieces: int, sharp: float) -> UInt8Array:
    table = rng.uniform(sharp * 60, 255, (pieces, pieces))
    table[np.arange(pieces - 1), np.arange(1, pieces)] *= sharp
    np.fill_diagonal(table, 255)
    return table.astype(np.uint8)


def board_line(rng: np.random.Generator, dataset: str, swaps: int) -> Line:
    """The true board of a sample with some pieces swapped."""
    path = SAMPLES / "lake-sherburne.webp"
    puzzle = cut(path, piece_size=112, erode=4, rotate=True)
    assert puzzle.truth is not None
    pieces = puzzle.truth.pieces.copy().ravel()
    turns = puzzle.truth.rotations.copy().ravel()
    for _ in range(swaps):
        one, other = rng.integers(0, pieces.size, 2)
        pieces[[one, other]], turns[[one, other]] = pieces[[other, one]], turns[[other, one]]
    shape = puzzle.truth.pieces.shape
    return {
        "dataset": dataset,
        "picture": path.name,
        "path": str(path),
        "what": "worst of 20",
        "piece_size": 112,
        "erode": 4,
        "seed": 0,
        "type": 2,
        "measure": "mgc" if swaps > 5 else "edge2vec",
        "solver": "regrowth",
        "neighbour": 100 - 5.0 * swaps,
        "pieces": pieces.reshape(shape).tolist(),
        "rotations": turns.reshape(shape).tolist(),
        "truth_pieces": puzzle.truth.pieces.tolist(),
        "truth_rotations": puzzle.truth.rotations.tolist(),
    }

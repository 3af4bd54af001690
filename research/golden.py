"""Fingerprints of all that must not move when the code is rearranged: scores, boards, verdicts.

    python research/golden.py write golden.json     before a change
    python research/golden.py check golden.json     after it, on the same machine

Every array is kept as a hash of its bits, so the file says which stage of which puzzle moved, and
not by how much. Networks round differently on other machines: compare on one machine alone.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import edge2vec
from edge2vec import Puzzle
from edge2vec.measures.measuring import compare_edges, measure_edges
from edge2vec.puzzle.picture import read_picture
from edge2vec.quality.confidence import pair_costs
from edge2vec.scores.stages import Start, find_stage

SAMPLES = Path(__file__).parent.parent / "samples"
FORMULAS = ("ssd", "pbc", "l1", "mgc")
STAGES = ("none", "paper", "sinkhorn", "loops")
SOLVERS = ("gallagher", "genetic", "regrowth")
NETWORKS = (("edge2vec-x-28-e1", "int8"), ("edge2vec-x-28-e1", "fp32"))


def main() -> None:
    """Write the fingerprints, or name those that differ."""
    command, path = sys.argv[1], Path(sys.argv[2])
    found = dict(fingerprints())
    if command == "write":
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(f"wrote {len(found)} fingerprints to {path}")
        return
    known = json.loads(path.read_text(encoding="utf-8"))
    moved = sorted(
        name for name in known.keys() | found.keys() if known.get(name) != found.get(name)
    )
    print(f"{len(known)} fingerprints, {len(moved)} moved")
    for name in moved:
        print(f"  {name}")
    sys.exit(bool(moved))


def fingerprints() -> Iterator[tuple[str, str]]:
    """Yield a name and a hash for everything that is held."""
    for name, puzzle in puzzles():
        print(name, file=sys.stderr, flush=True)
        yield f"{name}/pieces", bits(puzzle.pieces)
        for measure in FORMULAS:
            yield from scores(f"{name}/{measure}", puzzle, measure)
    for name, puzzle in puzzles():
        if puzzle.erode == 1 and len(puzzle) > 20:
            for weights, precision in NETWORKS:
                network = edge2vec.load(weights, precision=precision)
                yield from scores(f"{name}/{weights}-{precision}", puzzle, network.measure)
    for name, puzzle in puzzles():
        print(name, "boards", file=sys.stderr, flush=True)
        yield from boards(name, puzzle)


def puzzles() -> Iterator[tuple[str, Puzzle]]:
    """Yield puzzles of photographs and of what is hard: noise, plain skies, single rows, holes."""
    rng = np.random.default_rng(7)
    lake, road = (
        read_picture(SAMPLES / name) for name in ("lake-sherburne.webp", "tunnel-zion-park.webp")
    )
    crop = lake[100 : 100 + 28 * 6, 200 : 200 + 28 * 8]
    sky = crop.copy()
    sky[: 28 * 3] = (120, 160, 220)
    noise = rng.integers(0, 256, size=(28 * 4, 28 * 5, 3), dtype=np.uint8)
    for rotate in (False, True):
        kind = "turned" if rotate else "upright"
        for erode in (0, 1, 2):
            yield f"{kind}/lake-{erode}", edge2vec.cut(crop, erode=erode, rotate=rotate, seed=1)
        yield f"{kind}/sky", edge2vec.cut(sky, erode=1, rotate=rotate, seed=2)
        yield f"{kind}/noise", edge2vec.cut(noise, erode=1, rotate=rotate, seed=3)
        yield f"{kind}/2x3", edge2vec.cut(crop[:56, :84], erode=0, rotate=rotate, seed=4)
        yield f"{kind}/1x12", edge2vec.cut(road[300:328, : 28 * 12], erode=0, rotate=rotate, seed=5)
        yield f"{kind}/holes", edge2vec.cut(crop, erode=1, rotate=rotate, missing=0.15, seed=6)


def scores(name: str, puzzle: Puzzle, measure: object) -> Iterator[tuple[str, str]]:
    """Yield hashes of what every stage says of a puzzle's edges."""
    raw = measure_edges(puzzle.pieces, measure=measure, type_=puzzle.type, erode=puzzle.erode)  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    edges = 4 * len(puzzle)
    one, other = rng.integers(0, edges, size=(2, 1000)).astype(np.int32)
    some, more = (rng.permutation(edges)[:64].astype(np.int32) for _ in range(2))
    start = Start.of(raw, puzzle.pieces, type_=puzzle.type, erode=puzzle.erode)
    for stage in STAGES:
        found = start.at(stage=find_stage(stage))
        arrays = (found.candidates, found.scores, found.worst, found.buddies, found.ratios)
        yield f"{name}/{stage}/lists", bits(*arrays)
        yield f"{name}/{stage}/pairs", bits(found.score(one, other))
        yield f"{name}/{stage}/block", bits(found.block(some, more))
        if found.nats:
            both = np.stack([one, other], axis=1)
            yield f"{name}/{stage}/before", bits(pair_costs(found, both, before=True))


def boards(name: str, puzzle: Puzzle) -> Iterator[tuple[str, str]]:
    """Yield hashes of boards and of how sure they are."""
    for solver in SOLVERS:
        for seed in (0, 1):
            if solver == "genetic" and seed:
                continue
            solved = edge2vec.solve(puzzle, measure="mgc", solver=solver, seed=seed)
            yield f"{name}/{solver}-{seed}/board", board_bits(solved)
            chances = np.round(solved.confidence.chances, 12)
            yield f"{name}/{solver}-{seed}/confidence", bits(solved.confidence.edges, chances)
    if puzzle.erode == 1 and "noise" not in name:
        (free,) = edge2vec.solve_mixed(puzzle, pictures=1, grid=None, measure="mgc")
        yield f"{name}/free grid/board", board_bits(free)
    if "lake-1" in name and puzzle.grid is not None:
        other = edge2vec.cut(
            read_picture(SAMPLES / "tunnel-zion-park.webp")[200 : 200 + 28 * 5, 300 : 300 + 28 * 6],
            erode=1,
            rotate=puzzle.rotations,
            seed=8,
        )
        both = edge2vec.mix([puzzle, other], seed=9)
        for number, one in enumerate(edge2vec.solve_mixed(both, pictures=2, measure="mgc")):
            yield f"{name}/mixed-{number}/board", board_bits(one)
        yield (
            f"{name}/compared",
            bits(
                compare_edges(
                    both.pieces, measure="mgc", type_=both.type, erode=1, stage="loops"
                ).scores
            ),
        )


def board_bits(solution: edge2vec.Solution) -> str:
    """Return the hash of a board and of the pieces on it."""
    return bits(solution.board.pieces, solution.board.rotations, solution.numbers)


def bits(*arrays: np.ndarray) -> str:
    """Return a hash of the arrays' types, shapes and bits."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    main()

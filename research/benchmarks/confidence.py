"""Confidence: coefficients fitted on training pictures, and how far they can be trusted.

    python -m research.benchmarks.confidence fit FOLDER... [--limit N]
    python -m research.benchmarks.confidence fit-small FOLDER... [--limit N]
    python -m research.benchmarks.confidence report-small FOLDER... [--limit N]
    python -m research.benchmarks.confidence report FOLDER [--measure mgc] [--weights FILE]
                                                    [--limit N]

`fit` solves every N-th picture at four erosions, upright and turned, whole and with missing pieces,
and prints `src/edge2vec/confidence/coefficients.py`. `report` prints Markdown tables: predicted
against true shares of right joints, the share a board is believed to have right against its true
one, and how the verdict does. `fit-small` and `report-small` do it for pieces of small parts of
every N-th picture, 2x2 to 3x3, of which some have no neighbours at all.
"""

import argparse
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from edge2vec.base.types import EMPTY, Board, DoubleArray, IntArray, Joints, UInt8Array
from edge2vec.measures import Measure, find_measure
from edge2vec.measures.measuring import measure_edges
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import read_picture
from edge2vec.puzzle.puzzle import Puzzle
from edge2vec.puzzle.reading import picture_files
from edge2vec.quality.confidence import (
    JOINT,
    SURE_FROM,
    confidence_of,
    context_features,
    joint_features,
    logistic,
    small_board_features,
)
from edge2vec.scores.stages import Start
from edge2vec.solvers import SOLVERS, Problem, find_board

SIZE = 28
SMALL_SHAPES = ((2, 2), (2, 3), (2, 4), (2, 5), (3, 3))
SMALL_MEASURES = (("mgc", 0), ("mgc", 1), ("mgc", 2), ("auto", 0), ("auto", 1))
BINS = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99, 1.001)


@dataclass(frozen=True, eq=False)
class Case:
    """One solved puzzle: features and chances of its joints, and which of them are right.

    whole: what small boards are looked at for as a whole.
    """

    erode: int
    type: int
    board: Board
    joints: Joints
    features: DoubleArray
    whole: DoubleArray
    chances: DoubleArray
    right: np.ndarray


def solved(
    picture: Path, measure: Measure, *, erode: int, type_: int, missing: float, seed: int = 0
) -> Case:
    """Cut, solve and confidence_of one picture."""
    puzzle = cut(picture, erode=erode, rotate=type_ == 2, missing=missing, seed=seed)
    return judged(puzzle, measure, seed=seed)


def judged(puzzle: Puzzle, measure: Measure, *, seed: int = 0) -> Case:
    """Solve a puzzle and confidence_of its board."""
    if puzzle.grid is None or puzzle.truth is None:
        raise ValueError("a cut picture knows its grid and truth")
    erode, type_ = puzzle.erode, puzzle.type
    scores = measure_edges(puzzle.pieces, measure=measure, type_=type_, erode=erode)
    start = Start.of(scores, puzzle.pieces, type_=type_, erode=erode)
    compat = start.at(1 - len(puzzle) / puzzle.grid.cells)
    board = find_board(
        SOLVERS["regrowth"], Problem.of(compat, puzzle.grid), np.random.default_rng(seed)
    )
    joints = Joints.of(board)
    features = joint_features(compat, board, joints)
    return Case(
        erode,
        type_,
        board,
        joints,
        features,
        small_board_features(compat, joints.edges, features),
        confidence_of(compat, board).chances,
        true_joints(joints.edges, puzzle.truth),
    )


def true_joints(edges: IntArray, truth: Board) -> np.ndarray:
    """Return which joints [J, 2] the truth has too."""
    count = np.int64(4 * (truth.pieces.max() + 1))
    real = truth.joints()
    pairs = np.sort(edges, axis=1)
    return np.isin(count * pairs[:, 0] + pairs[:, 1], count * real[:, 0] + real[:, 1])


def fitted(features: DoubleArray, right: np.ndarray, *, ridge: float = 1e-3) -> tuple[float, ...]:
    """Return logistic coefficients, the constant last: Newton's method with a light ridge."""
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    inputs = np.column_stack([(features - mean) / spread, np.ones(len(features))])
    weights = np.zeros(inputs.shape[1])
    penalty = ridge * len(features) * np.append(np.ones(len(mean)), 0.0)
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        slope = inputs.T @ (right - chance) - penalty * weights
        bend = (inputs * (chance * (1 - chance))[:, None]).T @ inputs + np.diag(penalty + 1e-6)
        weights = weights + np.linalg.solve(bend, slope)
    scaled = weights[:-1] / spread
    return (*scaled.tolist(), float(weights[-1] - scaled @ mean))


def small_cases(picture: Path, seed: int) -> list[Case]:
    """Return small parts of a picture solved, and as many pieces that have no neighbours."""
    rng = np.random.default_rng(seed)
    pixels = read_picture(picture)
    cases = []
    for rows, cols in SMALL_SHAPES:
        for name, erode in SMALL_MEASURES:
            high, wide = rows * SIZE, cols * SIZE
            top = rng.integers(0, pixels.shape[0] - high + 1)
            left = rng.integers(0, pixels.shape[1] - wide + 1)
            part = pixels[top : top + high, left : left + wide]
            puzzle = cut(part, erode=erode, rotate=bool(rng.integers(0, 2)), seed=seed)
            measure = find_measure(name, piece_size=SIZE, erode=erode)
            cases += [judged(puzzle, measure), judged(strangers(puzzle, pixels, rng), measure)]
    return cases


def strangers(puzzle: Puzzle, pixels: UInt8Array, rng: np.random.Generator) -> Puzzle:
    """Return a puzzle of as many pieces from anywhere in the picture; nothing about it is true."""
    # Every other piece in every other row: no two of them are neighbours.
    whole = cut(pixels, erode=puzzle.erode)
    if whole.truth is None or puzzle.grid is None:
        raise ValueError("a cut picture knows its grid and truth")
    apart = rng.permutation(whole.truth.pieces[::2, ::2].ravel())[: len(puzzle)]
    alone = np.full((len(puzzle), 2), EMPTY)
    alone[:, 0] = np.arange(len(puzzle))
    truth = Board.of(alone.reshape(1, -1))
    return replace(puzzle, pieces=whole.pieces[apart], truth=truth)


def fit_small(cases: list[Case]) -> None:
    """Print the coefficients that fit the cases; every board counts alike."""
    rows = [
        np.concatenate(
            [
                context_features(
                    case.joints, logistic(case.features, JOINT), case.board.pieces.shape
                ),
                case.whole,
            ],
            axis=1,
        )
        for case in cases
    ]
    counts = np.array([len(part) for part in rows])
    # A board of four joints stands three times for one of twelve.
    times = np.maximum(1, np.rint(counts.max() / counts).astype(int))
    features = np.concatenate([np.tile(part, (n, 1)) for part, n in zip(rows, times, strict=True)])
    right = np.concatenate(
        [np.tile(case.right, n) for case, n in zip(cases, times, strict=True)]
    ).astype(float)
    values = fitted(features, right, ridge=1e-2)
    print(f"SMALL_CONTEXT: tuple[float, ...] = ({', '.join(f'{v:.4f}' for v in values)})")


def report_small(cases: list[Case]) -> None:
    """Print how the verdict does on small boards, by their number of pieces."""
    print("| pieces | right boards | sure of them | others | sure of them | mean error |")
    print("|---|---|---|---|---|---|")
    for pieces in sorted({case.board.pieces.size for case in cases}):
        some = [case for case in cases if case.board.pieces.size == pieces]
        believed, true = shares_of(some)
        sure, good = believed >= 100 * SURE_FROM, true >= 95
        error = np.abs(believed - true).mean()
        print(
            f"| {pieces} | {good.sum()} | {(sure & good).sum()} | {(~good).sum()} "
            f"| {(sure & ~good).sum()} | {error:.1f} |"
        )


def fit(cases: list[Case]) -> None:
    """Print the coefficients that fit the cases."""
    right = np.concatenate([case.right for case in cases]).astype(float)
    joint = fitted(np.concatenate([case.features for case in cases]), right)
    around = [
        context_features(case.joints, logistic(case.features, joint), case.board.pieces.shape)
        for case in cases
    ]
    context = fitted(np.concatenate(around), right)
    for name, values in (("JOINT", joint), ("CONTEXT", context)):
        print(f"{name}: tuple[float, ...] = ({', '.join(f'{value:.4f}' for value in values)})")


def report(cases: list[Case]) -> None:
    """Print how the coefficients in the package do on the cases."""
    chance = np.concatenate([case.chances for case in cases])
    right = np.concatenate([case.right for case in cases])
    print("| predicted | joints | mean predicted % | right % |\n|---|---|---|---|")
    for low, high in pairwise(BINS):
        inside = (chance >= low) & (chance < high)
        if inside.any():
            shares = f"{100 * chance[inside].mean():.1f} | {100 * right[inside].mean():.1f}"
            print(f"| {100 * low:.0f} to {100 * min(high, 1):.0f} | {inside.sum()} | {shares} |")
    print("\n| eroded | type | puzzles | believed right % | right % | mean error |")
    print("|---|---|---|---|---|---|")
    for erode, type_ in sorted({(case.erode, case.type) for case in cases}):
        some = [case for case in cases if (case.erode, case.type) == (erode, type_)]
        believed, true = shares_of(some)
        error = np.abs(believed - true).mean()
        print(
            f"| {erode} px | {type_} | {len(some)} | {believed.mean():.1f} | {true.mean():.1f} "
            f"| {error:.1f} |"
        )
    believed, true = shares_of(cases)
    bad, good = true < 90, true >= 95
    doubted = believed < 100 * SURE_FROM
    print(f"\nboards under 90 % right called doubtful: {(doubted & bad).sum()} of {bad.sum()}")
    print(f"boards from 95 % right called doubtful: {(doubted & good).sum()} of {good.sum()}")
    middle = ~bad & ~good
    print(f"boards between called doubtful: {(doubted & middle).sum()} of {middle.sum()}")


def shares_of(cases: list[Case]) -> tuple[DoubleArray, DoubleArray]:
    """Return the believed and the true share of right joints of each board, in percent."""
    believed = np.array([100 * case.chances.mean() for case in cases])
    return believed, np.array([100 * case.right.mean() for case in cases])


TASKS = {"fit": fit, "report": report, "fit-small": fit_small, "report-small": report_small}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=tuple(TASKS))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--measure", default="mgc")
    parser.add_argument("--weights", type=Path, nargs="*", default=())
    parser.add_argument("--erosions", default="0,1,2,3")
    parser.add_argument("--missing", default="0,0.1", help="shares of missing pieces")
    parser.add_argument("--limit", type=int, default=None, help="pictures a folder, spread evenly")
    options = parser.parse_args()
    measure = find_measure(options.measure, weights=options.weights)
    cases: list[Case] = []
    for folder in options.folders:
        pictures = picture_files(folder)
        for picture in pictures[:: max(1, len(pictures) // (options.limit or len(pictures)))]:
            if options.task.endswith("-small"):
                cases += small_cases(picture, seed=len(cases))
                continue
            cases += [
                solved(picture, measure, erode=int(erode), type_=type_, missing=float(missing))
                for erode in options.erosions.split(",")
                for type_ in (1, 2)
                for missing in options.missing.split(",")
            ]
    TASKS[options.task](cases)


if __name__ == "__main__":
    main()

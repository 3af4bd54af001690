"""Loop propagation: the sparse form against the formula over whole tables, and what it gains."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.types import DoubleArray, UInt8Array
from edge2vec.measures import find_measure
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.quality.accuracy import top1
from edge2vec.scores.compatibility import Compatibility
from edge2vec.scores.loops import LoopOptions
from edge2vec.scores.stages import ONE_TO_ONE
from tests.tables import TableScores, loops, random_table


def allowed_pairs(edges: int, type_: int) -> np.ndarray:
    edge = np.arange(edges)
    other_piece = edge[:, None] // 4 != edge // 4
    opposite = (edge[:, None] - edge) % 4 == 2
    return np.asarray(other_piece if type_ == 2 else other_piece & opposite)


def one_to_one_table(
    costs: DoubleArray,
    u: DoubleArray,
    rim: DoubleArray,
    slack: float,
    rim_count: float,
    rounds: int,
) -> tuple[DoubleArray, float]:
    """Sinkhorn with a rim, in log space, as anybody would write it."""
    for _ in range(rounds):
        table = np.concatenate([u - costs, slack - rim[:, None]], axis=1)
        u = (u - np.logaddexp.reduce(table, axis=1)) / 2
        slack = float(np.log(rim_count) - np.logaddexp.reduce(u - rim))
    return u, slack


def dense_loops(distances: DoubleArray, type_: int, options: LoopOptions) -> DoubleArray:
    """The formula of loop propagation over all pairs: -log P [E, E], infinite where none meet."""
    edges = len(distances)
    edge = np.arange(edges)
    clockwise = edge - edge % 4 + (edge + 1) % 4
    counter = edge - edge % 4 + (edge + 3) % 4
    allowed = allowed_pairs(edges, type_)
    distances = np.where(allowed, distances, np.inf)
    best = np.sort(distances, axis=1)
    base = distances * options.sharpness / np.median(best[:, 2] - best[:, 1])
    u = np.zeros(edges)
    for _ in range(20):
        u = (u - np.logaddexp.reduce(u - base, axis=1)) / 2
    rim_count = 4 * np.sqrt(edges / 4 / (1 - options.missing))
    rim_costs = u - np.clip(u - np.median(u), -3, 3)
    slack = float(np.log(rim_count / edges))
    u, slack = one_to_one_table(base, u, rim_costs, slack, rim_count, 2 * options.scaling_rounds)
    costs = base
    for _ in range(options.rounds):
        chance, rim = np.exp(u[:, None] + u - costs), np.exp(u + slack - rim_costs)
        ahead, back = np.zeros((edges, edges)), np.zeros((edges, edges))
        ahead[:, clockwise] = chance[clockwise]
        back[:, counter] = chance[counter]
        closes = ahead @ chance @ back.T + np.outer(rim[clockwise], rim[counter])
        if options.missing:
            sure = (chance**2).sum() / chance.sum()
            part = np.clip((sure - 0.5) / 0.2, 0, 1)
            rim_count = 4 * np.sqrt(edges / 4 / (1 - options.missing))
            rim_count += part * 0.6 * edges * options.missing
            # Three pieces round a corner: the side that looks into the hole has no partner.
            beside_a = (chance * rim[clockwise])[clockwise].sum(axis=1)
            beside_b = (chance * rim[counter])[counter].sum(axis=1)
            lonely = np.outer(rim[clockwise], beside_b) + np.outer(beside_a, rim[counter])
            closes += part * lonely
        costs = base - np.log(options.floor + closes) - np.log(options.floor + closes.T)
        u, slack = one_to_one_table(costs, u, rim_costs, slack, rim_count, options.scaling_rounds)
    return np.asarray(costs - u[:, None] - u)


@pytest.mark.parametrize("type_", [1, 2])
@pytest.mark.parametrize(
    ("rounds", "missing", "sharpness"),
    [(0, 0.0, 0.5), (1, 0.0, 0.5), (6, 0.0, 0.5), (6, 0.2, 0.5), (2, 0.1, 4.0), (6, 0.3, 4.0)],
)
def test_with_all_candidates_kept_it_is_the_dense_formula(
    type_: int, rounds: int, missing: float, sharpness: float
) -> None:
    table = random_table(13, 3)
    options = LoopOptions(sharpness=sharpness, rounds=rounds, ignore=0.0, missing=missing)
    compat = loops(TableScores(table), type_, 9999, options=options)
    every = np.arange(52, dtype=np.int32)
    allowed = allowed_pairs(52, type_)
    dense = dense_loops((table.astype(np.float64) + table.T) / 2, type_, options)
    assert compat.block(every, every)[allowed] == pytest.approx(dense[allowed], abs=1e-3)


@settings(max_examples=40, deadline=None)
@given(
    pieces=st.integers(2, 30),
    type_=st.sampled_from([1, 2]),
    keep=st.integers(1, 40),
    seed=st.integers(0, 99),
)
def test_kept_scores_are_those_of_the_source(pieces: int, type_: int, keep: int, seed: int) -> None:
    compat = loops(TableScores(random_table(pieces, seed)), type_, keep)
    edges = np.repeat(np.arange(compat.edges, dtype=np.int32), compat.candidates.shape[1])
    assert np.isfinite(compat.scores).all()
    assert np.array_equal(compat.score(edges, compat.candidates.ravel()), compat.scores.ravel())
    every = np.arange(compat.edges, dtype=np.int32)
    block = compat.block(every, every)
    assert np.array_equal(block, block.T)
    assert (np.diff(compat.scores, axis=1) >= 0).all()


def test_one_to_one_room_is_left_for_the_rim() -> None:
    options = LoopOptions(scaling_rounds=60)
    compat = loops(TableScores(random_table(25, 0)), 2, 9999, options=options)
    sums = np.exp(-compat.scores.astype(np.float64)).sum(axis=1)
    assert (sums < 1.001).all()
    assert sums.sum() == pytest.approx(100 - 4 * 5, abs=0.5)


def photo_scores(photo: UInt8Array, post: str, type_: int) -> tuple[Compatibility, float]:
    puzzle = cut(photo[:336, :448], erode=1, rotate=type_ == 2)
    assert puzzle.truth is not None
    if post == "sinkhorn":
        compat = compare_edges(puzzle.pieces, measure="mgc", type_=type_, erode=1, stage=post)
    else:
        compat = loops(find_measure("mgc").prepare(puzzle.pieces, 1), type_, 64)
    return compat, top1(compat, puzzle.truth)


@pytest.mark.parametrize("type_", [1, 2])
def test_loops_find_more_neighbours_than_sinkhorn_alone(photo: UInt8Array, type_: int) -> None:
    _, before = photo_scores(photo, "sinkhorn", type_)
    compat, after = photo_scores(photo, "loops", type_)
    assert compat.post == "loops" and compat.nats
    assert after > before + 4


def test_turning_all_pieces_turns_the_scores(photo: UInt8Array) -> None:
    pieces = cut(photo[:224, :280], erode=1, rotate=True).pieces
    every = np.arange(4 * len(pieces), dtype=np.int32)
    tables = []
    for quarters in range(4):
        turned = np.ascontiguousarray(np.rot90(pieces, -quarters, axes=(1, 2)))
        compat = loops(find_measure("mgc").prepare(turned, 1), 2, 9999)
        same = every - every % 4 + (every + quarters) % 4
        tables.append(compat.block(same, same))
    for table in tables[1:]:
        np.testing.assert_allclose(table, tables[0], atol=1e-3)


@pytest.mark.parametrize("type_", [1, 2])
def test_identical_pieces_stay_identical(type_: int) -> None:
    pieces = np.full((12, 16, 16, 3), 77, dtype=np.uint8)
    compat = loops(find_measure("mgc").prepare(pieces, 0), type_, 9999)
    assert np.isfinite(compat.scores).all()
    assert (compat.scores == compat.scores[:, :1]).all()


def test_scores_of_any_size_stay_finite() -> None:
    table = random_table(20, 5)
    table[:, 7] *= 1e5
    table[7] *= 1e5
    for post in (ONE_TO_ONE, loops):
        assert np.isfinite(post(TableScores(table), 2, 16).scores).all()

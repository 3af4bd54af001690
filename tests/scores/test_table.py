"""The flat scores against the formula written out step by step over whole tables, in float64."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.types import DoubleArray, FloatArray, IntArray
from edge2vec.scores.base import PairJudge, Ranking
from edge2vec.scores.judged import JudgedScores
from edge2vec.scores.stages import ONE_TO_ONE, STAGES, Stage, Start
from edge2vec.scores.table import Gains, Scores
from tests.tables import TableScores, random_table


def grained(nats: DoubleArray) -> DoubleArray:
    return np.asarray(np.rint(nats * 65536) / 65536)


@settings(max_examples=60, deadline=None)
@given(
    pieces=st.integers(2, 7),
    min_max=st.booleans(),
    squared=st.booleans(),
    symmetric=st.booleans(),
    stage=st.sampled_from(["raw", "agreed", "one-to-one", "loops"]),
    seed=st.integers(0, 999),
)
def test_scores_are_the_nested_formula(
    pieces: int, min_max: bool, squared: bool, symmetric: bool, stage: str, seed: int
) -> None:
    """A part of a puzzle, then groups of duplicates, then all their pieces, at every stage."""
    rng = np.random.default_rng(seed)
    measured = random_table(pieces, seed)
    measured = np.maximum(measured, measured.T) if symmetric else measured
    edges = 4 * pieces
    kept, group = rng.permutation(edges)[: edges - 2], rng.integers(0, edges - 2, edges + 3)
    scores = Scores.of(TableScores(measured, symmetric=symmetric, squared=squared))
    scores = scores.part(kept.astype(np.int32))
    table = measured.astype(np.float64)[np.ix_(kept, kept)]
    if stage != "raw":
        if min_max:
            low, high = (measured[np.ix_(kept, kept)] for _ in range(2))
            low, high = low.min(axis=1), high.max(axis=1)
            ranking = Ranking(np.zeros((len(kept), 1), np.int32), low[:, None], high)
            scores = scores.min_max(ranking)
            table = (table - low[:, None]) / (high - low)[:, None]
        else:
            scores = scores.mean()
            table = np.sqrt(table) if squared else table
        table = (table + table.T) / 2
    earlier = table
    if stage in ("one-to-one", "loops"):
        first, potentials = rng.uniform(-3, 3, (2, len(kept)))
        scores = scores.one_to_one(1.7, potentials)
        earlier = grained(1.7 * table - first[:, None] - first)
        table = grained(1.7 * table - potentials[:, None] - potentials)
    if stage == "loops":
        gains = grained(rng.uniform(-9, 0, table.shape))
        some = rng.random(table.shape) < 0.4
        some[0, 1] = True
        found = Gains(np.flatnonzero(some.ravel()), gains[some], -5.5, first)
        scores = Scores(**vars(scores) | {"gains": found})
        table = table - np.where(some, gains, -5.5)
    same = group.astype(np.int32)
    all_of = scores.part(same)
    assert all_of.edges == edges + 3
    assert all_of.symmetric == (symmetric or stage != "raw")
    one, other = rng.integers(0, edges + 3, (2, 50)).astype(np.int32)
    assert all_of.pairs(one, other) == pytest.approx(table[same[one], same[other]], abs=1e-4)
    block = all_of.block(one[:9], other)
    assert block == pytest.approx(table[np.ix_(same[one[:9]], same[other])], abs=1e-4)
    assert block.dtype == np.float32
    before = all_of.before_loops()
    if stage == "loops":
        assert before.pairs(one, other) == pytest.approx(earlier[same[one], same[other]], abs=1e-4)
        listed = some[same[one], same[other]]
        one, other = one[listed], other[listed]
        exact = all_of.kept_before_loops(all_of.pairs(one, other), one, other)
        assert exact == pytest.approx(earlier[same[one], same[other]], abs=1e-4)
    else:
        assert before is all_of


def test_nats_are_rounded_to_float32_before_gains_are_taken_off() -> None:
    """From 256 nats on one cast less would give other numbers."""
    rng = np.random.default_rng(1)
    table = rng.uniform(256, 500, (40, 40)).astype(np.float32)
    scores = Scores.of(TableScores(table, symmetric=True)).mean().one_to_one(1.1, np.zeros(40))
    gains = Gains(np.array([1]), np.zeros(1), -3 / 65536, np.zeros(40))
    scores = Scores(**vars(scores) | {"gains": gains})
    one, other = np.arange(2, 20, dtype=np.int32), np.arange(20, 38, dtype=np.int32)
    nats = grained(1.1 * table[one, other].astype(np.float64))
    found = scores.pairs(one, other)
    assert np.array_equal(found, (nats.astype(np.float32) + 3 / 65536).astype(np.float32))
    assert not np.array_equal(found, (nats + 3 / 65536).astype(np.float32))


def judged(pieces: int, type_: int) -> JudgedScores:
    table = random_table(pieces, 7)

    def judge(one: IntArray, other: IntArray) -> FloatArray:
        return (table[one, other] + table[other, one]) / np.float32(2)

    return JudgedScores.of(
        TableScores(random_table(pieces, 3)), PairJudge(6, 9.0, 0.5, judge), type_=type_, keep=40
    )


@pytest.mark.parametrize("type_", [1, 2])
def test_judged_scores_stay_nats_in_a_part_of_a_puzzle(type_: int) -> None:
    """Pieces of two pictures: temperature 1, as where the part were the whole puzzle."""
    scores = judged(12, type_)
    pieces = np.arange(12, dtype=np.uint8)[:, None, None, None] * np.ones((8, 8, 3), np.uint8)
    start = Start.of(scores, pieces, type_=type_, erode=0, stage=ONE_TO_ONE)
    assert start.at().source.temperature == 1.0
    some = np.array([1, 2, 5, 7, 8, 11], dtype=np.int32)
    assert start.part(some).at().source.temperature == 1.0


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
@pytest.mark.parametrize("type_", [1, 2])
def test_a_part_is_a_puzzle_of_its_own(type_: int, stage: Stage) -> None:
    table = random_table(14, 5)
    pieces = np.arange(14, dtype=np.uint8)[:, None, None, None] * np.ones((8, 8, 3), np.uint8)
    pieces[[2, 9]] = pieces[4]
    numbers = np.array([0, 2, 3, 4, 6, 9, 12], dtype=np.int32)
    edges = (4 * numbers[:, None] + np.arange(4)).ravel()
    alone = Start.of(
        TableScores(table[np.ix_(edges, edges)]), pieces[numbers], type_=type_, erode=0, stage=stage
    ).at(0.1)
    part = Start.of(TableScores(table), pieces, type_=type_, erode=0, stage=stage).part(numbers)
    found = part.at(0.1)
    assert np.array_equal(found.candidates, alone.candidates)
    assert np.array_equal(found.scores, alone.scores)
    every = np.arange(28, dtype=np.int32)
    assert np.array_equal(found.block(every, every), alone.block(every, every))

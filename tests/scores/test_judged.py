"""Re-ranked scores against a slow reference that holds the whole table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.errors import PuzzleError
from edge2vec.base.types import FloatArray, IntArray, UInt8Array
from edge2vec.measures import find_measure
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.quality.accuracy import top1
from edge2vec.scores.base import Measure, PairJudge
from edge2vec.scores.judged import JudgedScores
from edge2vec.scores.one_to_one import one_to_one
from edge2vec.scores.ranking import rank
from edge2vec.scores.stages import ONE_TO_ONE, STAGES
from edge2vec.scores.table import Scores
from edge2vec.solvers import Problem, find_board, find_solver
from tests.tables import TableScores, random_table

ALL = 10**6


def looking(
    judgements: FloatArray, candidates: int, lag: float = np.inf
) -> tuple[PairJudge, set[int]]:
    """A judge that reads a symmetric table, and the pairs it has been asked for."""
    asked: set[int] = set()

    def judge(one: IntArray, other: IntArray) -> FloatArray:
        pairs = (np.minimum(one, other).astype(int) * 1000 + np.maximum(one, other)).tolist()
        assert len(set(pairs)) == len(pairs) and not asked & set(pairs), "looked at twice"
        asked.update(pairs)
        return judgements[one, other]

    return PairJudge(candidates, lag, 0.25, judge), asked


@settings(max_examples=30, deadline=None)
@given(
    pieces=st.integers(3, 10),
    type_=st.sampled_from([1, 2]),
    count=st.integers(1, 7),
    lag=st.sampled_from([0.0, 0.5, 2.0, np.inf]),
    seed=st.integers(0, 99),
)
def test_the_best_are_looked_at_and_the_others_count_as_usual(
    pieces: int, type_: int, count: int, lag: float, seed: int
) -> None:
    table = random_table(pieces, seed)
    judgements = random_table(pieces, seed + 1000)
    judgements = (judgements + judgements.T) / np.float32(2)
    look, asked = looking(judgements, count, lag)
    found = JudgedScores.of(TableScores(table), look, type_=type_, keep=ALL)

    proposals = ONE_TO_ONE(TableScores(table), type_, ALL)
    edges = np.arange(4 * pieces, dtype=np.int32)
    nats = proposals.source.block(edges, edges)
    said, last = np.full(nats.shape, np.nan), np.zeros(4 * pieces)
    for a, row in enumerate(proposals.candidates):
        for b in [b for b in row[:count] if nats[a, b] <= nats[a, row[0]] + np.float32(lag)]:
            said[a, b] = said[b, a] = judgements[a, b]
            last[a] = nats[a, b]
    seen = ~np.isnan(said)
    assert asked == {1000 * a + b for a, b in np.argwhere(seen) if a < b}
    usual = np.array([sorted(row[~np.isnan(row)])[(~np.isnan(row)).sum() // 2] for row in said])
    said = np.where(seen, said, np.maximum(usual[:, None], usual))
    nats = np.where(seen, nats, np.maximum(nats, np.maximum(last[:, None], last)))
    block = found.block(edges, edges)
    assert np.allclose(block, nats / 4 + said, atol=1e-3)
    assert np.array_equal(block, block.T) and found.symmetric
    assert np.array_equal(found.pairs(edges[:-1], edges[1:]), block[edges[:-1], edges[1:]])


@pytest.mark.parametrize("post", STAGES)
@pytest.mark.parametrize("type_", [1, 2])
def test_every_post_and_solver_takes_them(photo: UInt8Array, post: str, type_: int) -> None:
    puzzle = cut(photo[:140, :168], erode=0, rotate=type_ == 2)
    assert puzzle.truth is not None and puzzle.grid is not None
    right = np.full((120, 120), 9, dtype=np.float32)
    for a, b in puzzle.truth.joints():
        right[a, b] = right[b, a] = 0
    noise = TableScores(random_table(30, 3))

    def all_knowing(pieces: UInt8Array, erode: int) -> PairJudge:
        return PairJudge(120, np.inf, 0.0, lambda one, other: right[one, other])

    measure = Measure("oracle", "knows", lambda pieces, erode: noise, second_look=all_knowing)
    compat = compare_edges(puzzle.pieces, measure=measure, type_=type_, stage=post)
    truth = np.full(120, -1)
    for a, b in puzzle.truth.joints():
        truth[a], truth[b] = b, a
    inner = truth >= 0
    assert (compat.candidates[inner, 0] == truth[inner]).all()
    if post == "paper":
        return  # It makes every mutual best 0, also those of the rim, and solvers fall for them.
    problem = Problem.of(compat, puzzle.grid)
    board = find_board(find_solver("gallagher"), problem, np.random.default_rng(0))
    assert {tuple(joint) for joint in board.joints()} == {
        tuple(joint) for joint in puzzle.truth.joints()
    }


def test_a_plain_sky_takes_nothing_from_the_rest(photo: UInt8Array) -> None:
    """Of hundreds of copies an edge proposes sixteen; the others must not be thought likely."""
    picture = photo[:560, :560].copy()
    picture[:, 112:] = 250
    puzzle = cut(picture, erode=0, rotate=True)
    assert puzzle.truth is not None
    plain = Scores.of(find_measure("mgc").prepare(puzzle.pieces, 0)).mean()
    step = np.float32(one_to_one(plain, rank(plain, type_=2, keep=64))[0].temperature)
    look = PairJudge(16, 3.0, 0.5, lambda one, other: 60 + step * plain.pairs(one, other))
    found = JudgedScores.of(plain, look, type_=2, keep=64)
    for post in ("raw", "one-to-one", "loops"):
        before, after = (top1(STAGES[post](one, 2, 64), puzzle.truth) for one in (plain, found))
        assert after > 0.9 * before > 5


def test_nats_stay_nats_when_they_are_made_one_to_one() -> None:
    look, _ = looking(random_table(8, 1) + random_table(8, 1).T, 6)
    found = JudgedScores.of(TableScores(random_table(8, 2)), look, type_=2, keep=ALL)
    ones, others = np.arange(0, 16, dtype=np.int32), np.arange(16, 32, dtype=np.int32)
    before = found.block(ones, others)
    after = ONE_TO_ONE(found, 2, ALL).source.block(ones, others)
    # What is added to an edge's scores cancels around any four of them.
    assert not np.allclose(after, before, atol=0.1)
    assert np.allclose(np.diff(np.diff(after), axis=0), np.diff(np.diff(before), axis=0), atol=1e-3)


def test_a_judge_that_gives_no_numbers_is_refused() -> None:
    look = PairJudge(3, np.inf, 1.0, lambda one, other: np.full(len(one), np.nan, np.float32))
    with pytest.raises(PuzzleError, match="not numbers"):
        JudgedScores.of(TableScores(random_table(5, 0)), look, type_=2, keep=ALL)

"""The engine, block by block, against dense references that hold the whole table."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.errors import PuzzleError, UnknownNameError
from edge2vec.base.types import FloatArray, IntArray, UInt8Array
from edge2vec.measures import MEASURES
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.scores import ranking
from edge2vec.scores.base import Ranking
from edge2vec.scores.ranking import rank
from edge2vec.scores.stages import RAW, STAGES
from tests.tables import TableScores, random_table

ALL = 10**6


def allowed(edges: int, type_: int) -> np.ndarray:
    """Which pairs may meet at all, [E, E]."""
    numbers = np.arange(edges)
    other_piece: np.ndarray = numbers[:, None] // 4 != numbers // 4
    opposite: np.ndarray = (numbers[:, None] + 2) % 4 == numbers % 4
    return other_piece & opposite if type_ == 1 else other_piece


def dense_none(table: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.where(mask, table, np.inf)


def dense_paper(table: np.ndarray, mask: np.ndarray) -> np.ndarray:
    low = np.where(mask, table, np.inf).min(axis=1, keepdims=True)
    high = np.where(mask, table, -np.inf).max(axis=1, keepdims=True)
    scaled = (table - low) / np.where(high > low, high - low, 1)
    return np.where(mask, (scaled + scaled.T) / 2, np.inf)


def dense_sinkhorn(table: np.ndarray, mask: np.ndarray) -> np.ndarray:
    distances = np.where(mask, (table + table.T) / 2, np.inf)
    ordered = np.sort(distances, axis=1)
    costs = distances * 3 / np.median(ordered[:, 1] - ordered[:, 0])
    u = np.zeros(len(table))
    for _ in range(40):
        u = (u - np.log(np.exp(u - costs).sum(axis=1))) / 2
    scores: np.ndarray = costs - u[:, None] - u
    return scores


DENSE = {"raw": dense_none, "paper": dense_paper, "one-to-one": dense_sinkhorn}


@settings(max_examples=40, deadline=None)
@given(
    pieces=st.integers(3, 14),
    type_=st.sampled_from([1, 2]),
    post=st.sampled_from(sorted(DENSE)),
    block=st.integers(1, 300),
    seed=st.integers(0, 999),
)
def test_blocks_equal_the_dense_reference(
    pieces: int, type_: int, post: str, block: int, seed: int
) -> None:
    table = random_table(pieces, seed)
    mask = allowed(4 * pieces, type_)
    expected = DENSE[post](table.astype(np.float64), mask)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "_BLOCK_SCORES", block)
        compat = STAGES[post](TableScores(table), type_, ALL)
    order = np.argsort(expected, axis=1, kind="stable")[:, : mask[0].sum()]
    best = np.take_along_axis(expected, order, axis=1)
    assert np.allclose(compat.scores, best, rtol=1e-4, atol=1e-4)
    assert np.allclose(compat.worst, best[:, -1], rtol=1e-4, atol=1e-4)
    kept = np.take_along_axis(expected, compat.candidates, axis=1)
    assert np.allclose(compat.scores, kept, rtol=1e-4, atol=1e-4)
    anchors = np.repeat(np.arange(4 * pieces, dtype=np.int32), compat.candidates.shape[1])
    asked = compat.score(anchors, compat.candidates.ravel())
    assert np.array_equal(asked, compat.scores.ravel())


@pytest.mark.parametrize("type_", [1, 2])
@pytest.mark.parametrize("post", ["raw", "paper"])
def test_keeping_few_keeps_the_best(post: str, type_: int) -> None:
    scores = TableScores(random_table(20, 3))
    every, few = STAGES[post](scores, type_, ALL), STAGES[post](scores, type_, 5)
    assert np.array_equal(few.candidates, every.candidates[:, :5])
    assert np.array_equal(few.scores, every.scores[:, :5])
    assert np.array_equal(few.worst, every.worst)
    assert np.array_equal(few.buddies, every.buddies)


def test_sinkhorn_over_few_candidates_is_near_the_whole(photo: UInt8Array) -> None:
    pieces = cut(photo, rotate=True, seed=1).pieces
    few, every = (
        compare_edges(pieces, measure="mgc", type_=2, erode=1, stage="sinkhorn", keep=keep)
        for keep in (64, ALL)
    )
    assert (few.candidates[:, 0] == every.candidates[:, 0]).mean() > 0.99


def test_probabilities_sum_to_about_one(photo: UInt8Array) -> None:
    pieces = cut(photo[:280, :280], rotate=True).pieces
    compat = compare_edges(pieces, measure="mgc", type_=2, erode=1, stage="sinkhorn")
    assert compat.candidates.shape == (400, 396)
    sums = np.exp(-compat.scores.astype(np.float64)).sum(axis=1)
    assert np.abs(sums - 1).mean() < 0.03


@pytest.mark.parametrize("post", sorted(STAGES))
def test_ties_go_to_the_smaller_edge(post: str, photo: UInt8Array) -> None:
    """With every piece there twice, each candidate ties with its double: the first goes first."""
    pieces = cut(photo, rotate=True).pieces[:20]
    doubled = np.concatenate([pieces, pieces])
    compat = compare_edges(doubled, measure="mgc", type_=2, erode=1, stage=post, keep=ALL)
    for edge in range(160):
        place = {int(other): rank for rank, other in enumerate(compat.candidates[edge])}
        for other in range(80):
            if {other, other + 80} <= place.keys():
                assert place[other] + 1 == place[other + 80]


def test_buddies_are_mutual_bests() -> None:
    compat = RAW(TableScores(random_table(15, 4)), 2, ALL)
    best = compat.candidates[:, 0]
    for edge in range(60):
        mutual = best[best[edge]] == edge
        assert compat.buddies[edge] == (best[edge] if mutual else -1)
    assert (compat.buddies >= 0).any() and (compat.buddies < 0).any()


def test_ratio_is_over_the_best_other_score_of_either_edge() -> None:
    table = random_table(10, 5)
    table = np.minimum(table, table.T)
    compat = RAW(TableScores(table, symmetric=True), 2, ALL)
    rival = dense_none(table, allowed(40, 2))
    for a in range(40):
        for k, b in enumerate(compat.candidates[a]):
            others = np.concatenate([np.delete(rival[a], b), np.delete(rival[b], a)])
            assert compat.ratios[a, k] == pytest.approx(table[a, b] / others.min())


def test_ratio_of_two_zeros_is_one() -> None:
    compat = RAW(TableScores(np.zeros((8, 8), dtype=np.float32)), 2, ALL)
    assert (compat.ratios == 1).all()


def test_equal_scores_survive_every_post() -> None:
    for post in STAGES.values():
        compat = post(TableScores(np.full((16, 16), 3, dtype=np.float32)), 2, ALL)
        assert np.isfinite(compat.scores).all()
        assert compat.candidates[0].tolist() == list(range(4, 16))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_numbers_are_refused(wrong: float) -> None:
    table = random_table(5, 6)
    table[3, 9] = wrong
    for post in STAGES.values():
        for scores in (TableScores(table), RankedTable(table)):
            with pytest.raises(PuzzleError, match="NaN or infinite"):
                post(scores, 2, ALL)


@dataclass(frozen=True, eq=False)
class RankedTable(TableScores):
    """A table that ranks itself, as scores on a GPU do; `asked` notes how often."""

    asked: list[int] = field(default_factory=list)

    def best(
        self,
        turned: bool,
        keep: int,
        *,
        scaling: tuple[FloatArray, FloatArray] | None = None,
        edges: IntArray | None = None,
    ) -> Ranking:
        self.asked.append(keep)
        type_ = 2 if turned else 1
        scores = self.table if edges is None else self.table[np.ix_(edges, edges)]
        if scaling is not None:
            scores = (scores - scaling[0][:, None]) / scaling[1][:, None]
            scores = (scores + scores.T) / np.float32(2)
        every = np.where(allowed(len(scores), type_), scores, np.inf)
        order = np.argsort(every, axis=1, kind="stable")[:, :keep].astype(np.int32)
        worst = np.where(allowed(len(scores), type_), scores, -np.inf).max(axis=1)
        return Ranking(order, np.take_along_axis(scores, order, axis=1), worst)


@pytest.mark.parametrize("type_", [1, 2])
@pytest.mark.parametrize("post", STAGES)
def test_scores_that_rank_themselves_are_asked_first(post: str, type_: int) -> None:
    scores = RankedTable(random_table(9, 3))
    found = STAGES[post](scores, type_, 5)
    expected = STAGES[post](TableScores(scores.table), type_, 5)
    assert scores.asked
    assert np.array_equal(found.candidates, expected.candidates)
    assert np.allclose(found.scores, expected.scores, atol=1e-4)
    # Copies meet themselves, and of that the scores' own ranking knows nothing.
    scores.asked.clear()
    rank(scores, type_=type_, keep=5, count=np.array([2] + 8 * [1], dtype=np.int32))
    assert not scores.asked


def test_the_value_cannot_be_changed(photo: UInt8Array) -> None:
    compat = compare_edges(cut(photo).pieces[:9], measure="ssd", type_=1)
    for array in (compat.candidates, compat.scores, compat.worst, compat.buddies, compat.ratios):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_squares_are_rooted_before_they_become_likelihoods(photo: UInt8Array) -> None:
    pieces = cut(photo[:112, :112]).pieces
    compat = compare_edges(pieces, measure="ssd", type_=1, erode=1, stage="sinkhorn")
    scores = MEASURES["ssd"].prepare(pieces, 1)
    edges = np.arange(64, dtype=np.int32)
    expected = dense_sinkhorn(np.sqrt(scores.block(edges, edges)), allowed(64, 1))
    assert np.allclose(compat.scores, np.sort(expected, axis=1)[:, :15], atol=1e-3)


def test_unknown_names_list_the_choices(photo: UInt8Array) -> None:
    with pytest.raises(UnknownNameError, match="loops, one-to-one, paper, raw"):
        compare_edges(cut(photo).pieces[:9], measure="ssd", type_=1, stage="sinkhron")

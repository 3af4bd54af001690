"""Exact duplicates: which pieces they are, and that scores for groups are those for pieces."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.types import FloatArray, UInt8Array
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.scores.duplicates import Duplicates, four_edges
from edge2vec.scores.one_to_one import CandidateGraph, one_to_one
from edge2vec.scores.ranking import rank, tied
from edge2vec.scores.table import Scores
from tests.tables import TableScores, loops, random_table


def some_pieces(kinds: int, pieces: int, type_: int, seed: int) -> Duplicates:
    """Pieces of so many kinds, turned if they may be."""
    rng = np.random.default_rng(seed)
    looks = rng.integers(0, 255, (kinds, 8, 8, 3)).astype(np.uint8)
    chosen = np.concatenate([np.arange(kinds), rng.integers(0, kinds, pieces - kinds)])
    turns = rng.integers(0, 4 if type_ == 2 else 1, pieces)
    shown = [np.rot90(looks[k], -t) for k, t in zip(chosen, turns, strict=True)]
    return Duplicates.of(np.stack(shown), erode=0, type_=type_)


def of_groups(scores: TableScores, duplicates: Duplicates) -> Scores:
    """The scores of a piece of every group."""
    return Scores.of(scores).part(four_edges(duplicates.first))


def table_of(duplicates: Duplicates, seed: int) -> FloatArray:
    """Scores [E, E] that do not tell duplicates apart."""
    table = random_table(len(duplicates.first), seed)
    return (table + table.T)[np.ix_(duplicates.edge, duplicates.edge)]


@settings(max_examples=60, deadline=None)
@given(
    kinds=st.integers(1, 6),
    more=st.integers(0, 8),
    type_=st.sampled_from([1, 2]),
    erode=st.integers(0, 2),
    seed=st.integers(0, 99),
)
def test_duplicates_are_found_turned_or_not(
    kinds: int, more: int, type_: int, erode: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    looks = rng.integers(0, 2, (kinds, 8, 8, 3)).astype(np.uint8)
    # Some kinds are symmetric, and what lies in the lost frame does not count.
    looks[0] = 7
    pieces = np.concatenate([looks, looks[rng.integers(0, kinds, more)]])
    pieces = np.stack([np.rot90(p, int(rng.integers(0, 4))) for p in pieces])
    inner = pieces[:, erode : 8 - erode, erode : 8 - erode].copy()
    if erode:
        pieces[:, 0] = rng.integers(0, 255, pieces[:, 0].shape)
    duplicates = Duplicates.of(pieces, erode=erode, type_=type_)
    assert duplicates.count.sum() == len(pieces)
    assert (np.diff(duplicates.count) <= 0).all()
    for number, piece in enumerate(inner):
        shown = np.rot90(piece, -duplicates.turn[number])
        assert np.array_equal(shown, inner[duplicates.first[duplicates.group[number]]])
    assert type_ == 2 or not duplicates.turn.any()
    turns = range(4 if type_ == 2 else 1)
    for one, a in enumerate(inner):
        for other, b in enumerate(inner):
            same = any(np.array_equal(a, np.rot90(b, t)) for t in turns)
            assert same == (duplicates.group[one] == duplicates.group[other])


@pytest.mark.parametrize("type_", [1, 2])
@pytest.mark.parametrize("keep", [3, 9, 9999])
def test_every_piece_gets_the_candidates_of_its_kind(type_: int, keep: int) -> None:
    duplicates = some_pieces(9, 20, type_, 4)
    scores = TableScores(table_of(duplicates, 1), symmetric=True)
    kinds = rank(of_groups(scores, duplicates), type_=type_, keep=keep, count=duplicates.count)
    ranking = duplicates.for_all(kinds)
    direct = rank(scores, type_=type_, keep=keep)
    kept = ranking.scores.shape[1]
    assert kept == kinds.scores.shape[1]
    assert np.array_equal(ranking.scores, direct.scores[:, :kept])
    for edge, row in enumerate(ranking.candidates):
        assert len(set(row.tolist())) == kept
        assert (row // 4 != edge // 4).all()
        assert np.array_equal(scores.table[edge, row], ranking.scores[edge])


@pytest.mark.parametrize("type_", [1, 2])
def test_counting_duplicates_is_as_good_as_listing_them(type_: int) -> None:
    duplicates = some_pieces(12, 22, type_, 2)
    scores = TableScores(table_of(duplicates, 5), symmetric=True)
    every = rank(scores, type_=type_, keep=9999)
    kinds = of_groups(scores, duplicates)
    few = rank(kinds, type_=type_, keep=9999, count=duplicates.count)
    listed, _ = one_to_one(Scores.of(scores), every, temperature=1.0, rounds=300)
    # All pairs of kinds, also those that `rank` drops where a kind meets itself.
    pairs = np.argwhere(np.isfinite(_met(duplicates, type_))).astype(np.int32)
    more = (pairs[:, 0], pairs[:, 1], kinds.pairs(pairs[:, 0], pairs[:, 1]))
    counted, _ = one_to_one(
        kinds, few, temperature=1.0, rounds=300, duplicates=duplicates, more=more
    )
    assert counted.potentials is not None
    assert counted.potentials[duplicates.edge] == pytest.approx(listed.potentials, abs=1e-6)


def _met(duplicates: Duplicates, type_: int) -> FloatArray:
    """Zero where edges of kinds may meet [4M, 4M], infinite elsewhere."""
    edge = np.arange(4 * len(duplicates.first))
    own = (edge[:, None] // 4 == edge // 4) & (duplicates.count[edge // 4] == 1)
    apart = (edge[:, None] - edge) % 4 != 2 if type_ == 1 else np.zeros_like(own)
    return np.where(own | apart, np.inf, 0).astype(np.float32)


@settings(max_examples=30, deadline=None)
@given(
    kinds=st.integers(2, 12),
    more=st.integers(1, 20),
    type_=st.sampled_from([1, 2]),
    keep=st.integers(1, 30),
    seed=st.integers(0, 99),
)
def test_loops_with_duplicates_tell_none_apart(
    kinds: int, more: int, type_: int, keep: int, seed: int
) -> None:
    duplicates = some_pieces(kinds, kinds + more, type_, seed)
    table = table_of(duplicates, seed)
    compat = loops(TableScores(table), type_, keep, duplicates=duplicates)
    assert compat.duplicates is duplicates and compat.of_groups is not None
    assert compat.pieces == kinds + more and compat.of_groups.pieces == kinds
    assert np.isfinite(compat.scores).all()
    assert (np.diff(compat.scores, axis=1) >= 0).all()
    edges = np.repeat(np.arange(compat.edges, dtype=np.int32), compat.candidates.shape[1])
    assert np.array_equal(compat.score(edges, compat.candidates.ravel()), compat.scores.ravel())
    every = np.arange(compat.edges, dtype=np.int32)
    block = compat.block(every, every)
    first = np.array([np.flatnonzero(duplicates.edge == e)[0] for e in duplicates.edge])
    assert np.array_equal(block, block[np.ix_(first, first)])


def test_pieces_of_one_kind_only_are_not_collapsed() -> None:
    pieces = np.full((6, 16, 16, 3), 9, dtype=np.uint8)
    compat = compare_edges(pieces, measure="mgc", type_=2, stage="loops")
    assert compat.of_groups is None and compat.pieces == 6


def test_without_duplicates_nothing_changes(photo: UInt8Array) -> None:
    puzzle = cut(photo[:168, :168], rotate=True)
    compat = compare_edges(puzzle.pieces, measure="mgc", type_=2, erode=1, stage="loops")
    assert compat.of_groups is None and compat.duplicates is None


@pytest.mark.parametrize("type_", [1, 2])
def test_all_equals_are_tied_however_few_are_kept(type_: int) -> None:
    """Twelve plain pieces among twenty: their edges fit one another at 0, all others worse."""
    table = random_table(20, 3)
    table = np.minimum(table, table.T)
    table[:48, :48] = 0
    scores = TableScores(table, symmetric=True)
    ranking = rank(scores, type_=type_, keep=4)
    ones = np.ones(20, dtype=np.int32)
    graph = CandidateGraph.of(ranking, tied(scores, ranking, type_=type_, count=ones))
    for edge in range(48):
        listed = graph.neighbours[graph.starts[edge] : graph.starts[edge + 1]]
        fits = [b for b in range(48) if b // 4 != edge // 4 and (type_ == 2 or (b - edge) % 4 == 2)]
        assert set(fits) <= set(listed.tolist())
    none = tied(scores, rank(scores, type_=type_, keep=9999), type_=type_, count=ones)
    assert len(none[0]) == 0


@pytest.mark.parametrize("post", ["none", "paper", "one-to-one"])
def test_duplicates_are_looked_for_only_where_they_count(
    photo: UInt8Array, post: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nobody asked")

    monkeypatch.setattr(Duplicates, "of", refuse)
    pieces = cut(photo[:84, :84]).pieces
    assert compare_edges(pieces, measure="ssd", type_=1, stage=post).pieces == 9
    with pytest.raises(AssertionError, match="nobody asked"):
        compare_edges(pieces, measure="ssd", type_=1, stage="loops")

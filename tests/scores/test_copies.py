"""Exact copies: which pieces they are, and that scores for kinds are those for pieces."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.types import FloatArray, IntArray, UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.scores.copies import Copies, MappedScores, for_all, of_kinds
from edge2vec.scores.loops import loops
from edge2vec.scores.one_to_one import CandidateGraph, one_to_one
from edge2vec.scores.ranking import rank
from edge2vec.scores.stages import compare_edges
from edge2vec.scores.symmetry import MeanScores
from edge2vec.scores.ties import tied
from tests.tables import TableScores, random_table


def some_copies(kinds: int, pieces: int, type_: int, seed: int) -> Copies:
    """Pieces of so many kinds, turned if they may be."""
    rng = np.random.default_rng(seed)
    looks = rng.integers(0, 255, (kinds, 8, 8, 3)).astype(np.uint8)
    chosen = np.concatenate([np.arange(kinds), rng.integers(0, kinds, pieces - kinds)])
    turns = rng.integers(0, 4 if type_ == 2 else 1, pieces)
    shown = [np.rot90(looks[k], -t) for k, t in zip(chosen, turns, strict=True)]
    return Copies.of(np.stack(shown), erode=0, type_=type_)


def table_of(copies: Copies, seed: int) -> FloatArray:
    """Scores [E, E] that do not tell copies apart."""
    table = random_table(len(copies.first), seed)
    return (table + table.T)[np.ix_(copies.edge, copies.edge)]


@settings(max_examples=60, deadline=None)
@given(
    kinds=st.integers(1, 6),
    more=st.integers(0, 8),
    type_=st.sampled_from([1, 2]),
    erode=st.integers(0, 2),
    seed=st.integers(0, 99),
)
def test_copies_are_found_turned_or_not(
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
    copies = Copies.of(pieces, erode=erode, type_=type_)
    assert copies.stock.sum() == len(pieces)
    assert (np.diff(copies.stock) <= 0).all()
    for number, piece in enumerate(inner):
        shown = np.rot90(piece, -copies.turn[number])
        assert np.array_equal(shown, inner[copies.first[copies.kind[number]]])
    assert type_ == 2 or not copies.turn.any()
    turns = range(4 if type_ == 2 else 1)
    for one, a in enumerate(inner):
        for other, b in enumerate(inner):
            same = any(np.array_equal(a, np.rot90(b, t)) for t in turns)
            assert same == (copies.kind[one] == copies.kind[other])


@pytest.mark.parametrize("type_", [1, 2])
@pytest.mark.parametrize("keep", [3, 9, 9999])
def test_every_piece_gets_the_candidates_of_its_kind(type_: int, keep: int) -> None:
    copies = some_copies(9, 20, type_, 4)
    scores = TableScores(table_of(copies, 1), symmetric=True)
    kinds = rank(of_kinds(scores, copies), type_=type_, keep=keep, stock=copies.stock)
    ranking = for_all(kinds, copies)
    direct = rank(scores, type_=type_, keep=keep)
    kept = ranking.scores.shape[1]
    assert kept == kinds.scores.shape[1]
    assert np.array_equal(ranking.scores, direct.scores[:, :kept])
    for edge, row in enumerate(ranking.candidates):
        assert len(set(row.tolist())) == kept
        assert (row // 4 != edge // 4).all()
        assert np.array_equal(scores.table[edge, row], ranking.scores[edge])


@pytest.mark.parametrize("type_", [1, 2])
def test_counting_copies_is_as_good_as_listing_them(type_: int) -> None:
    copies = some_copies(12, 22, type_, 2)
    scores = TableScores(table_of(copies, 5), symmetric=True)
    every = rank(scores, type_=type_, keep=9999)
    kinds = of_kinds(scores, copies)
    few = rank(kinds, type_=type_, keep=9999, stock=copies.stock)
    listed, _ = one_to_one(scores, every, temperature=1.0, rounds=300)
    # All pairs of kinds, also those that `rank` drops where a kind meets itself.
    pairs = np.argwhere(np.isfinite(_met(copies, type_))).astype(np.int32)
    more = (pairs[:, 0], pairs[:, 1], kinds.pairs(pairs[:, 0], pairs[:, 1]))
    counted, _ = one_to_one(kinds, few, temperature=1.0, rounds=300, copies=copies, more=more)
    assert counted.potentials[copies.edge] == pytest.approx(listed.potentials, abs=1e-6)


def _met(copies: Copies, type_: int) -> FloatArray:
    """Zero where edges of kinds may meet [4M, 4M], infinite elsewhere."""
    edge = np.arange(4 * len(copies.first))
    own = (edge[:, None] // 4 == edge // 4) & (copies.stock[edge // 4] == 1)
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
def test_loops_with_copies_tell_none_apart(
    kinds: int, more: int, type_: int, keep: int, seed: int
) -> None:
    copies = some_copies(kinds, kinds + more, type_, seed)
    table = table_of(copies, seed)
    compat = loops(TableScores(table), type_, keep, copies=copies)
    assert compat.copies is copies and compat.kinds is not None
    assert compat.pieces == kinds + more and compat.kinds.pieces == kinds
    assert np.isfinite(compat.scores).all()
    assert (np.diff(compat.scores, axis=1) >= 0).all()
    edges = np.repeat(np.arange(compat.edges, dtype=np.int32), compat.candidates.shape[1])
    assert np.array_equal(compat.score(edges, compat.candidates.ravel()), compat.scores.ravel())
    every = np.arange(compat.edges, dtype=np.int32)
    block = compat.block(every, every)
    first = np.array([np.flatnonzero(copies.edge == e)[0] for e in copies.edge])
    assert np.array_equal(block, block[np.ix_(first, first)])


def test_pieces_of_one_kind_only_are_not_collapsed() -> None:
    pieces = np.full((6, 16, 16, 3), 9, dtype=np.uint8)
    compat = compare_edges(pieces, measure="mgc", type_=2, post="loops")
    assert compat.kinds is None and compat.pieces == 6


def test_without_copies_nothing_changes(photo: UInt8Array) -> None:
    puzzle = cut(photo[:168, :168], rotate=True)
    compat = compare_edges(puzzle.pieces, measure="mgc", type_=2, erode=1, post="loops")
    assert compat.kinds is None and compat.copies is None


@pytest.mark.parametrize("type_", [1, 2])
def test_all_equals_are_tied_however_few_are_kept(type_: int) -> None:
    """Twelve plain pieces among twenty: their edges fit one another at 0, all others worse."""
    table = random_table(20, 3)
    table = np.minimum(table, table.T)
    table[:48, :48] = 0
    scores = TableScores(table, symmetric=True)
    ranking = rank(scores, type_=type_, keep=4)
    ones = np.ones(20, dtype=np.int32)
    graph = CandidateGraph.of(ranking, tied(scores, ranking, type_=type_, stock=ones))
    for edge in range(48):
        listed = graph.neighbours[graph.starts[edge] : graph.starts[edge + 1]]
        fits = [b for b in range(48) if b // 4 != edge // 4 and (type_ == 2 or (b - edge) % 4 == 2)]
        assert set(fits) <= set(listed.tolist())
    none = tied(scores, rank(scores, type_=type_, keep=9999), type_=type_, stock=ones)
    assert len(none[0]) == 0


def test_mapped_scores_are_the_inner_ones() -> None:
    table = random_table(6, 1)
    table = table + table.T
    same: IntArray = np.array([3, 9, 3, 0], dtype=np.int32)
    mapped = MappedScores(MeanScores(TableScores(table)), same)
    edges = np.arange(4, dtype=np.int32)
    assert mapped.edges == 4
    assert mapped.block(edges, edges) == pytest.approx(table[np.ix_(same, same)])
    assert mapped.pairs(edges, edges[::-1]) == pytest.approx(table[same, same[::-1]])


@pytest.mark.parametrize("post", ["none", "paper", "sinkhorn"])
def test_copies_are_looked_for_only_where_they_count(
    photo: UInt8Array, post: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nobody asked")

    monkeypatch.setattr(Copies, "of", refuse)
    pieces = cut(photo[:84, :84]).pieces
    assert compare_edges(pieces, measure="ssd", type_=1, post=post).pieces == 9
    with pytest.raises(AssertionError, match="nobody asked"):
        compare_edges(pieces, measure="ssd", type_=1, post="loops")

"""Scores against slow, obvious counting over cells."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge2vec.base.types import EMPTY, Board, UInt8Array
from edge2vec.measures.measuring import compare_edges
from edge2vec.puzzle.cut import cut
from edge2vec.quality.accuracy import board_accuracy, top1


def touching(board: Board) -> set[frozenset[tuple[int, int]]]:
    """Every joint as a set of two (piece, own side), found cell by cell."""
    joints = set()
    rows, cols = board.pieces.shape
    for row in range(rows):
        for col in range(cols):
            for down, right, side in ((0, 1, 1), (1, 0, 2)):
                if row + down >= rows or col + right >= cols:
                    continue
                here, there = (row, col), (row + down, col + right)
                if EMPTY in (board.pieces[here], board.pieces[there]):
                    continue
                one = (int(board.pieces[here]), int(side - board.rotations[here]) % 4)
                other = (int(board.pieces[there]), int(side + 2 - board.rotations[there]) % 4)
                joints.add(frozenset([one, other]))
    return joints


def slow_component(joints: set[frozenset[tuple[int, int]]], pieces: int) -> float:
    """The largest part, found by walking from every piece."""
    beside: dict[int, set[int]] = {piece: set() for piece in range(pieces)}
    for joint in joints:
        one, other = (piece for piece, _ in joint)
        beside[one].add(other)
        beside[other].add(one)
    largest = 0
    for start in range(pieces):
        seen, todo = {start}, [start]
        while todo:
            fresh = beside[todo.pop()] - seen
            seen |= fresh
            todo.extend(fresh)
        largest = max(largest, len(seen))
    return 100 * largest / pieces


def random_board(rng: np.random.Generator, rows: int, cols: int, turned: bool, holes: int) -> Board:
    cells = np.full(rows * cols, EMPTY)
    cells[rng.permutation(rows * cols)[: rows * cols - holes]] = np.arange(rows * cols - holes)
    turns = rng.integers(0, 4, (rows, cols)) if turned else None
    return Board.of(cells.reshape(rows, cols), turns)


def damaged(board: Board, rng: np.random.Generator) -> Board:
    """The board with some rows shifted and two cells swapped: partly right."""
    pieces, rotations = board.pieces.copy(), board.rotations.copy()
    row = rng.integers(len(pieces))
    pieces[row], rotations[row] = np.roll(pieces[row], 1), np.roll(rotations[row], 1)
    a, b = rng.integers(0, pieces.size, 2)
    for array in (pieces, rotations):
        flat = array.ravel()
        flat[a], flat[b] = flat[b], flat[a]
    return Board.of(pieces, rotations)


@settings(max_examples=80, deadline=None)
@given(
    rows=st.integers(1, 6),
    cols=st.integers(2, 6),
    turned=st.booleans(),
    holes=st.integers(0, 2),
    seed=st.integers(0, 999),
)
def test_equals_counting(rows: int, cols: int, turned: bool, holes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    holes = min(holes, rows * cols - 2)
    truth = random_board(rng, rows, cols, turned, holes)
    board = damaged(truth, rng)
    score = board_accuracy(board, truth, turned=turned)
    true, found = touching(truth), touching(board)
    expected = 100 * len(true & found) / len(true) if true else 100
    assert score.neighbour == pytest.approx(expected)
    assert score.largest_component == pytest.approx(
        slow_component(true & found, rows * cols - holes)
    )
    same = [
        (p, r) == (q, s) and p != EMPTY
        for p, r, q, s in zip(
            *(x.ravel() for x in (board.pieces, board.rotations, truth.pieces, truth.rotations)),
            strict=True,
        )
    ]
    least = 100 * sum(same) / (rows * cols - holes)
    if turned:
        assert score.direct > least - 1e-9
    else:
        assert score.direct == pytest.approx(least)


@settings(max_examples=30, deadline=None)
@given(quarters=st.integers(0, 3), seed=st.integers(0, 999))
def test_turning_the_whole_board_changes_nothing(quarters: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = random_board(rng, 4, 5, True, 1)
    board = damaged(truth, rng)
    assert board_accuracy(board.turned(quarters), truth, turned=True) == board_accuracy(
        board, truth, turned=True
    )


def test_the_truth_is_perfect(photo: UInt8Array) -> None:
    puzzle = cut(photo, rotate=True, missing=0.1)
    assert puzzle.truth is not None
    score = board_accuracy(puzzle.truth.turned(2), puzzle.truth, turned=True)
    assert (score.neighbour, score.direct, score.perfect) == (100, 100, 100)


def test_upright_pieces_may_not_be_turned() -> None:
    truth = Board.of([[0, 1], [2, 3]])
    score = board_accuracy(truth.turned(2), truth, turned=False)
    assert (score.neighbour, score.direct, score.perfect) == (100, 0, 0)


@pytest.mark.parametrize("type_", [1, 2])
def test_top1_equals_counting(type_: int, photo: UInt8Array) -> None:
    puzzle = cut(photo[:140, :196], rotate=type_ == 2, seed=4)
    assert puzzle.truth is not None
    compat = compare_edges(puzzle.pieces, measure="mgc", type_=type_, erode=1)
    edges = np.arange(140, dtype=np.int32)
    table = compat.block(edges, edges)
    right = asked = 0
    for joint in touching(puzzle.truth):
        (one, side), (other, back) = joint
        for a, b in ((4 * one + side, 4 * other + back), (4 * other + back, 4 * one + side)):
            ranked = sorted(
                (table[a, e], e)
                for e in range(140)
                if e // 4 != a // 4 and (type_ == 2 or e % 4 == (a + 2) % 4)
            )
            right += ranked[0][1] == b
            asked += 1
    assert top1(compat, puzzle.truth) == pytest.approx(100 * right / asked)
    assert 20 < top1(compat, puzzle.truth) < 100

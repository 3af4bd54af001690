"""Project files give back what was saved, and say in one line what is wrong with others."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edge2vec
from edge2vec.base.types import UInt8Array


@pytest.fixture(scope="module")
def solution(photo: UInt8Array) -> edge2vec.Solution:
    puzzle = edge2vec.cut(photo[:112, :150], turned=True, missing=0.2, damage="noise:4")
    return edge2vec.solve(puzzle, measure="mgc", solver="gallagher")


@pytest.fixture
def saved(solution: edge2vec.Solution, tmp_path: Path) -> Path:
    path = tmp_path / "picture.edge2vec"
    solution.save(path)
    return path


def test_what_was_saved_comes_back(solution: edge2vec.Solution, saved: Path) -> None:
    found = edge2vec.Solution.load(saved)
    assert found.board == solution.board
    assert found.image.tobytes() == solution.image.tobytes()
    assert found.confidence_map.tobytes() == solution.confidence_map.tobytes()
    assert found.confidence.verdict == solution.confidence.verdict
    assert np.array_equal(found.confidence.chances, solution.confidence.chances)
    assert np.array_equal(found.members, solution.members)
    assert found.accuracy() == solution.accuracy()
    assert repr(found) == repr(solution) and repr(found.puzzle) == repr(solution.puzzle)
    for name in ("notes", "names", "damage", "grid", "truth", "turned"):
        assert getattr(found.puzzle, name) == getattr(solution.puzzle, name)
    for name in ("measure", "stage", "solver", "measure_seconds", "solve_seconds"):
        assert getattr(found, name) == getattr(solution, name)
    with pytest.raises(edge2vec.Edge2VecError, match="do not keep the scores"):
        _ = found.compatibility


def test_a_loaded_solution_is_saved_as_the_same_file(saved: Path, tmp_path: Path) -> None:
    edge2vec.Solution.load(saved).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == saved.read_bytes()


def test_one_picture_of_several_and_a_stopped_one_come_back(
    photo: UInt8Array, tmp_path: Path
) -> None:
    names = [f"piece-{number}.png" for number in range(16)]
    puzzle = edge2vec.Puzzle(edge2vec.cut(photo[:112, :112]).pieces, 1, names=names)
    shown: list[edge2vec.Board] = []

    def stop(step: edge2vec.Step) -> None:
        if step.board is not None:
            shown.append(step.board)
            raise KeyboardInterrupt

    with pytest.raises(edge2vec.SolveStopped) as stopped:
        edge2vec.solve_mixed(
            puzzle, pictures=1, grid=edge2vec.Grid(4, 4), measure="ssd", report=stop
        )
    stopped.value.solutions[0].save(tmp_path / "stopped")
    found = edge2vec.Solution.load(tmp_path / "stopped")
    assert found.board == shown[0] and found.confidence.stopped
    assert found.puzzle.names == tuple(names) and found.puzzle.truth is None


def test_numpy_reads_the_arrays(solution: edge2vec.Solution, saved: Path) -> None:
    with np.load(saved, allow_pickle=False) as arrays:
        assert np.array_equal(arrays["pieces"], solution.puzzle.pieces)
        assert np.array_equal(arrays["board"][0], solution.board.pieces)


def _changed(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change what `project.json` says."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(members["project.json"])
    change(head)
    members["project.json"] = json.dumps(head).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_newer_versions_are_named(saved: Path) -> None:
    _changed(saved, lambda head: head.update(version=7))
    with pytest.raises(edge2vec.Edge2VecError, match=r"version 7; this edge2vec reads version 1"):
        edge2vec.Solution.load(saved)


def test_what_is_not_known_is_left_alone(solution: edge2vec.Solution, saved: Path) -> None:
    _changed(saved, lambda head: head.update(weather="fine"))
    with zipfile.ZipFile(saved, "a") as archive:
        archive.writestr("scores.safetensors", b"later")
    assert edge2vec.Solution.load(saved).board == solution.board


@pytest.mark.parametrize(
    "change",
    [
        lambda head: head.pop("puzzle"),
        lambda head: head.pop("version"),
        lambda head: head["puzzle"].update(erode="wide"),
        lambda head: head["puzzle"].update(erode=99),
        lambda head: head["puzzle"].update(grid=[1]),
        lambda head: head["puzzle"].update(grid=[1, 2]),
        lambda head: head["puzzle"].update(names=3),
        lambda head: head["settings"].pop("measure"),
        lambda head: head["settings"].update(solve_seconds="long"),
        lambda head: head.update(settings=[1]),
        lambda head: head.update(format="of somebody else"),
    ],
)
def test_odd_descriptions_are_refused(
    saved: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    _changed(saved, change)
    with pytest.raises(edge2vec.Edge2VecError) as refused:
        edge2vec.Solution.load(saved)
    assert "\n" not in str(refused.value)


def _without(path: Path, name: str, array: np.ndarray | None) -> None:
    """Replace an array of a project file, or take it out."""
    with zipfile.ZipFile(path) as archive:
        members = {one: archive.read(one) for one in archive.namelist()}
    del members[f"{name}.npy"]
    with zipfile.ZipFile(path, "w") as archive:
        for one, content in members.items():
            archive.writestr(one, content)
        if array is not None:
            with archive.open(f"{name}.npy", "w") as opened:
                np.save(opened, array, allow_pickle=True)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("pieces", None),
        ("pieces", np.zeros((20, 28, 28, 3), dtype=np.float32)),
        ("members", np.array([{"a": "pickle"}], dtype=object)),
        ("board", np.zeros((2, 4, 5), dtype=np.int32)),
        ("board", np.full((2, 4, 5), 99, dtype=np.int32)),
        ("board", np.full((4, 5), -1, dtype=np.int32)),
        ("board", np.full((2, 4, 5), -1.0)),
        ("truth", np.full((2, 4, 5), -1, dtype=np.int32)),
        ("joints", np.zeros((3, 2), dtype=np.int32)),
        ("joint_chances", None),
        ("piece_chances", np.zeros(3)),
    ],
)
def test_odd_arrays_are_refused(saved: Path, name: str, array: np.ndarray | None) -> None:
    _without(saved, name, array)
    with pytest.raises(edge2vec.Edge2VecError, match=str(saved)) as refused:
        edge2vec.Solution.load(saved)
    assert "\n" not in str(refused.value)


def test_damage_is_noticed_wherever_it_is(saved: Path, rng: np.random.Generator) -> None:
    whole = saved.read_bytes()
    same = edge2vec.Solution.load(saved)
    for at in rng.choice(len(whole), 60, replace=False).tolist():
        saved.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            found = edge2vec.Solution.load(saved)
        except edge2vec.Edge2VecError:
            continue
        # Some bytes, as of dates, say nothing.
        assert found.board == same.board and np.array_equal(found.puzzle.pieces, same.puzzle.pieces)
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        saved.write_bytes(whole[:length])
        with pytest.raises(edge2vec.Edge2VecError, match=r"cut off|damaged"):
            edge2vec.Solution.load(saved)


def test_other_files_are_refused(tmp_path: Path, photo: UInt8Array) -> None:
    np.savez(tmp_path / "pieces.npz", pieces=edge2vec.cut(photo).pieces)
    with pytest.raises(edge2vec.Edge2VecError, match=r"holds pieces\.npy; not a project file"):
        edge2vec.Solution.load(tmp_path / "pieces.npz")
    (tmp_path / "text").write_text("nothing")
    with pytest.raises(edge2vec.Edge2VecError, match="not a project file"):
        edge2vec.Solution.load(tmp_path / "text")
    with pytest.raises(edge2vec.Edge2VecError, match="no such file"):
        edge2vec.Solution.load(tmp_path / "missing")
    with pytest.raises(edge2vec.Edge2VecError, match="a folder"):
        edge2vec.Solution.load(tmp_path)


def test_a_file_that_cannot_be_written_is_left_as_it_was(
    solution: edge2vec.Solution, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = saved.read_bytes()

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("edge2vec.project.write_array", full)
    with pytest.raises(edge2vec.Edge2VecError, match="No space left"):
        solution.save(saved)
    assert saved.read_bytes() == whole and list(saved.parent.iterdir()) == [saved]
    with pytest.raises(edge2vec.Edge2VecError, match="a folder; give the name of a file"):
        solution.save(saved.parent)

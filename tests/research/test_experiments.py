"""Experiments, each against a slow and obvious way to the same answer."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge2vec.base.errors import Edge2VecError, ResultsError
from edge2vec.base.types import Grid, UInt8Array
from edge2vec.evaluation import Settings
from edge2vec.evaluation.records import read_rows
from edge2vec.measures.measuring import compare_edges
from edge2vec.networks.distances import EmbeddingScores
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.picture import write_picture
from research.experiments.__main__ import _portable, main
from research.experiments.ablations import SETTINGS, Setting
from research.experiments.embeddings import masked, masked_scores, neighbours_found, scaled_rows
from research.experiments.gallery import chosen, keep_boards
from research.experiments.lines import LineFile
from research.experiments.solving_tables import compatibility, solve_tables
from research.experiments.times import time_measures
from research.report.origin import read_origins
from research.report.results import read_results


@given(st.integers(0, 100), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_masking_takes_the_largest(share: int, numbers: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(3, 2, numbers)).astype(np.float32)
    for before, after in zip(
        vectors.reshape(-1, numbers), masked(vectors, share).reshape(-1, numbers), strict=True
    ):
        gone = round(share / 100 * numbers)
        order = sorted(range(numbers), key=lambda at: -abs(before[at]))
        expected = [0 if at in order[:gone] else before[at] for at in range(numbers)]
        assert after.tolist() == expected


def test_nothing_masked_changes_nothing(rng: np.random.Generator) -> None:
    vectors = rng.normal(size=(8, 1, 5)).astype(np.float32)
    whole = EmbeddingScores(vectors, vectors[::-1].copy())
    edges = np.arange(8, dtype=np.int32)
    assert np.array_equal(masked_scores(whole, 0).block(edges, edges), whole.block(edges, edges))
    assert not masked_scores(whole, 100).block(edges, edges).any()


def test_distance_maps_find_neighbours() -> None:
    grid = Grid(2, 3)
    table = np.full((6, 6), 5.0, dtype=np.float32)
    np.fill_diagonal(table, 0)
    for piece in (0, 1, 3, 4):
        table[piece, piece + 1] = 1.0
    table[4, 0] = 0.5
    hits, gap = neighbours_found(table, grid)
    assert hits == 75.0 and gap == 5.0
    shown = scaled_rows(table)
    assert shown[0].tolist() == [255, 0, 255, 255, 255, 255]
    assert shown.dtype == np.uint8


def test_lines_are_kept_and_not_doubled(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = LineFile(path, "time", ("measure",))
    lines.add(measure="mgc", seconds=[1])
    lines.add(measure="mgc", seconds=[2])
    path.write_text(path.read_text() + '{"kind": "ti')
    again = LineFile(path, "time", ("measure",))
    assert again.has(measure="mgc", seconds=[1]) and len(again.lines) == 1
    assert len(path.read_text().splitlines()) == 1
    with pytest.raises(ResultsError, match="holds lines of time, not masking"):
        LineFile(path, "masking", ("picture",))
    path.write_text("{}\n{}\n")
    with pytest.raises(ResultsError, match="line 1: damaged"):
        LineFile(path, "time", ("measure",))


def test_ablation_settings_share_runs_only_if_they_are_the_same() -> None:
    from edge2vec.training.config import TrainingConfig

    base = TrainingConfig.from_preset("best")
    configs: dict[str, TrainingConfig] = {}
    for setting in SETTINGS:
        config = base.with_overrides(setting.settings)
        assert configs.setdefault(setting.run, config) == config
    assert len(set(map(str, configs.values()))) == len(configs)
    by_name = {(one.study, one.value): one.run for one in SETTINGS}
    assert by_name["loss", "hbt"] == by_name["sampling", "1:1"] == by_name["batch", "1024"]
    assert Setting("x", "y", ("groups=2",)).settings.count("groups=2") == 1


def test_best_and_worst_are_chosen() -> None:
    found = {Path(f"{number}.png"): float(number) for number in range(10)}
    assert [path.stem for path in chosen(found)] == ["9", "1", "0"]
    assert list(chosen(dict(list(found.items())[:2])).values()) == ["best of 2", "worst of 2"]


def test_times_and_boards_are_written_and_resumed(
    tmp_path: Path, photo: UInt8Array, capsys: pytest.CaptureFixture[str]
) -> None:
    write_picture(tmp_path / "set" / "a.png", photo[:140, :168])
    out = tmp_path / "times.jsonl"
    for _ in range(2):
        picture = tmp_path / "set" / "a.png"
        time_measures(picture, out, measures=["ssd"], grids=((2, 3), (5, 6)))
    lines = read_results([out]).of("time")
    assert [line["pieces"] for line in lines] == [6, 30]
    assert all(len(line["seconds"]) == 3 for line in lines)
    boards = tmp_path / "boards.jsonl"
    keep_boards(tmp_path / "set", ["ssd", "mgc"], boards, settings=Settings(erode=0))
    kept = read_results([boards]).of("board")
    assert [line["measure"] for line in kept] == ["ssd", "mgc"]
    assert np.shape(kept[0]["pieces"]) == (5, 6)
    assert sorted(np.ravel(kept[1]["pieces"])) == list(range(30))


def test_the_command_notes_its_origin_and_says_errors_in_one_line(
    tmp_path: Path, photo: UInt8Array, capsys: pytest.CaptureFixture[str]
) -> None:
    write_picture(tmp_path / "set" / "a.png", photo[:84, :112])
    out = tmp_path / "boards.jsonl"
    words = ["gallery", str(tmp_path / "set"), "--measure", "ssd", "--out", str(out)]
    assert main(words) == 0
    (noted,) = read_origins(out)
    assert noted.command.startswith("python -m research.experiments gallery")
    assert str(tmp_path) not in noted.command
    words_before = ["/tmp/in/", "a:/tmp/w.safetensors", "b:runs/w", "--out=/tmp/r.jsonl", "/"]
    words_after = ["in", "a:w.safetensors", "b:runs/w", "--out=r.jsonl", "/"]
    assert _portable(words_before) == words_after
    assert noted.machine and noted.commit
    capsys.readouterr()
    assert main([*words[:-1], str(tmp_path / "set")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["masking", str(tmp_path), "--network", "x", "--out", str(tmp_path / "m")]) == 2
    assert "expected NAME:PATH" in capsys.readouterr().err


def test_tables_solve_like_the_scores_they_were_made_from(
    tmp_path: Path, photo: UInt8Array
) -> None:
    torch = pytest.importorskip("torch")
    from edge2vec.measures import MEASURES
    from research.experiments.pair_tables import best_of_both_types

    write_picture(tmp_path / "set" / "a.png", photo[:140, :168])
    turned = cut(tmp_path / "set" / "a.png", rotate=True)
    edges = np.arange(4 * len(turned), dtype=np.int32)
    # L1 stands for the network: it is not symmetric either.
    table = MEASURES["l1"].prepare(turned.pieces, 1).block(edges, edges)
    arrays = best_of_both_types(torch.from_numpy(table.copy()), turned, 12)
    for type_, post in ((1, "none"), (1, "paper"), (2, "none"), (2, "paper")):
        puzzle = cut(tmp_path / "set" / "a.png", rotate=type_ == 2)
        usual = compare_edges(puzzle.pieces, measure="l1", type_=type_, erode=1, stage=post)
        kept = compatibility(arrays, puzzle, post)
        assert np.array_equal(kept.candidates[:, 0], usual.candidates[:, 0])
        assert np.allclose(kept.scores, usual.scores[:, :12], atol=1e-3)
        if post == "paper":
            some = np.arange(60, dtype=np.int32)
            asked = kept.score(some, kept.candidates[some, 3])
            assert np.allclose(asked, kept.scores[some, 3])
    every = best_of_both_types(torch.from_numpy(table.copy()), turned, 4 * len(turned))
    for type_, post in ((1, "sinkhorn"), (2, "sinkhorn"), (1, "loops"), (2, "loops")):
        puzzle = cut(tmp_path / "set" / "a.png", rotate=type_ == 2)
        usual = compare_edges(puzzle.pieces, measure="l1", type_=type_, erode=1, stage=post)
        kept = compatibility(every, puzzle, post)
        assert np.mean(kept.candidates[:, 0] == usual.candidates[:, 0]) > 0.99
        assert np.allclose(kept.best, usual.best, atol=1e-2)
    about = {"dataset": "set", "picture": "a.png", "weights": "w", "measure": "e2e"}
    text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    np.savez(tmp_path / "t.npz", **{"about": text, **arrays})  # type: ignore[arg-type]
    for _ in range(2):
        solve_tables([tmp_path / "t.npz"], tmp_path, tmp_path / "rows.jsonl")
    rows = read_rows(tmp_path / "rows.jsonl")
    assert [(one["type"], one["solver"]) for one in rows] == [(1, "gallagher"), (2, "gallagher")]
    assert all(one["neighbour"] > 20 and one["measure"] == "e2e" for one in rows)
    solve_tables([tmp_path / "t.npz"], tmp_path, tmp_path / "raw.jsonl", post="none")
    assert {one["post"] for one in read_rows(tmp_path / "raw.jsonl")} == {"none"}
    old = {name: array for name, array in arrays.items() if "mean" not in name}
    with pytest.raises(ResultsError, match="tables without scores for 'loops'"):
        compatibility(old, turned, "loops")
    with pytest.raises(Edge2VecError, match="choices: loops, one-to-one, paper, raw"):
        solve_tables([tmp_path / "t.npz"], tmp_path, tmp_path / "raw.jsonl", post="loop")
    (tmp_path / "t.npz").write_text("no table")
    with pytest.raises(ResultsError, match="not a table"):
        solve_tables([tmp_path / "t.npz"], tmp_path, tmp_path / "rows.jsonl")

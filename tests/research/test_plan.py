"""The plan: what it holds, what is still to do, and that running it resumes."""

import json
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from edge2vec.base.errors import Edge2VecError
from edge2vec.cli.main import app
from research.experiments.__main__ import _parser
from research.report.origin import Origin, add_origin, read_origins
from research.report.plan import (
    Places,
    PlannedStep,
    described,
    leave_out_stale,
    network_names,
    origin_of,
    read_plan,
    run_plan,
)
from research.report.sections import SECTIONS
from tests.conftest import ROOT
from tests.processes import LONGEST, runs, started, wait_until

PLACES = Places(Path("results"), Path("data"), Path("weights"))

WRITES = '''
[[step]]
name = "one"
section = "times"
hours = 0.5
needs = ["{weights}/w"]
names = {edge2vec = "wider"}
command = """python -c 'import sys; open(sys.argv[2], "a").write("x")' --json {results}/one.jsonl"""

[[step]]
name = "fails"
section = "times"
command = "python -c 'raise SystemExit(3)' --json {results}/two.jsonl"

[[step]]
name = "waits"
section = "times"
needs = ["{weights}/absent"]
command = "python -c pass --json {results}/three.jsonl"

[[step]]
name = "elsewhere"
section = "times"
where = "gpu"
makes = "{results}/four.jsonl"
command = "on a GPU"
'''


def test_every_section_has_a_step() -> None:
    planned = {step.section for step in read_plan(PLACES)}
    # The trade-off is drawn from times and performance, curves come with the ablations.
    assert planned == set(SECTIONS) - {"trade-off", "curves"}


def test_steps_make_files_of_their_own_and_fill_in_all_folders() -> None:
    steps = read_plan(PLACES)
    assert len({step.makes for step in steps}) == len(steps)
    assert len({step.name for step in steps}) == len(steps)
    for step in steps:
        assert "{" not in step.command.replace("{1,2}", ""), step.command


def test_commands_of_the_plan_are_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    for step in read_plan(PLACES):
        first, *rest = shlex.split(step.command.partition(" (then")[0])
        if first == "edge2vec":
            # Folders do not exist here, and that is all that may be wrong.
            found = CliRunner().invoke(app, rest)
            assert "no such folder" in str(found.exception), (step.command, found.exception)
        else:
            assert rest[:2] == ["-m", "research.experiments"]
            _parser().parse_args(rest[2:])


@pytest.fixture
def places(tmp_path: Path) -> Places:
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "w").write_text("weights")
    (tmp_path / "plan.toml").write_text(WRITES)
    return Places(tmp_path / "results", tmp_path, tmp_path / "weights")


def test_running_does_what_is_missing_and_notes_it(places: Places) -> None:
    steps = read_plan(places, file=places.data / "plan.toml")
    said: list[str] = []
    assert run_plan(steps, say=said.append) == ["fails: exit code 3"]
    assert said[0].startswith("2 of 4 steps to run, some 0.5 hours")
    assert any("left out: waits (waits for" in line for line in said)
    assert any("left out: elsewhere" in line for line in said)
    (noted,) = read_origins(places.results / "one.jsonl")
    assert noted.names == {"edge2vec": "wider"} and list(noted.inputs) == ["w"]
    states = [step.state().split()[0] for step in steps]
    assert states == ["done", "to", "waits", "elsewhere"]
    run_plan(steps, say=said.append)
    assert (places.results / "one.jsonl").read_text() == "x"


def test_other_weights_make_a_step_be_run_again(places: Places) -> None:
    steps = read_plan(places, file=places.data / "plan.toml")
    run_plan(steps, say=lambda line: None)
    (places.weights / "w").write_text("other weights")
    assert steps[0].state() == "to do"
    (places.results / "four.jsonl").write_text(json.dumps({}))
    assert steps[3].state() == "done"
    assert "to do: one (times, 0.5 h)" in described(steps)


def test_lines_of_former_weights_are_left_out_and_those_of_formulas_stay(places: Places) -> None:
    step = read_plan(places, file=places.data / "plan.toml")[0]
    rows = [
        {"measure": "mgc", "top1": 1},
        {"measure": "edge2vec", "top1": 2},
        {"kind": "board", "measure": "mgc"},
    ]
    step.makes.parent.mkdir(exist_ok=True)
    step.makes.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"cut off')
    assert leave_out_stale(step) == 0, "nobody noted which weights they are by"
    for old in ("first", "second"):
        add_origin(step.makes, Origin("day", "commit", "machine", old, inputs={"w": old}))
    assert leave_out_stale(step) == 3
    assert json.loads(step.makes.read_text()) == rows[0]
    assert [one.command for one in read_origins(step.makes)] == ["first", "second"]
    with step.makes.open("a") as file:
        file.write(json.dumps(rows[1]) + "\n")
    assert leave_out_stale(step) == 0, "a run that was stopped loses nothing"
    add_origin(step.makes, Origin("day", "commit", "machine", "now", inputs=step.inputs()))
    assert leave_out_stale(step) == 0
    (places.weights / "w").write_text("other weights")
    said: list[str] = []
    run_plan([step], say=said.append)
    assert "one.jsonl: 1 by other weights, measured anew" in said


def test_rows_are_called_by_their_network(tmp_path: Path) -> None:
    from edge2vec.measures import LEARNED
    from edge2vec.networks.config import NetworkConfig, tensor_shapes
    from edge2vec.networks.packaged import fitting_weights
    from edge2vec.networks.weights import read_config, save_weights

    config = NetworkConfig.of("edge2vec-x", widths=(4, 4, 8, 16), dimension=16)
    tensors = {name: np.zeros(shape) for name, shape in tensor_shapes(config).items()}
    save_weights(tmp_path / "x.safetensors", config, tensors, record={})
    command = "edge2vec evaluate mit --measure mgc,edge2vec"
    inside = fitting_weights(LEARNED["edge2vec"].kinds, piece_size=28, erode=1)
    assert inside is not None
    assert network_names(command) == {"edge2vec": read_config(inside).kind}
    named = network_names(f"{command} --weights {tmp_path}/x.safetensors --erode 2")
    assert named == {"edge2vec": "edge2vec-x"}
    assert network_names("edge2vec evaluate mit --measure mgc") == {}
    again = network_names(f"edge2vec evaluate mit --measure edge2vec+rerank --weights {inside}")
    assert again == {"edge2vec+rerank": f"{read_config(inside).kind}+rerank"}
    step = PlannedStep("s", "times", f"{command} --weights {tmp_path}/x.safetensors", tmp_path)
    assert origin_of(step, 1.0).names == named
    assert network_names("python -m research.experiments gallery --measure edge2vec") == {}


@pytest.mark.parametrize("text", ["[[step", "[[step]]\nname = 'x'", "x = 1"])
def test_a_damaged_plan_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(Edge2VecError, match="not a plan"):
        read_plan(PLACES, file=tmp_path / "plan.toml")


def test_a_stopped_run_stops_its_command(tmp_path: Path) -> None:
    sleeps = "import os, sys, time; print(os.getpid(), file=open(sys.argv[2], 'w')); time.sleep(60)"
    command = shlex.join(["python", "-c", sleeps, "--json", str(tmp_path / "one.jsonl")])
    plan = tmp_path / "plan.toml"
    plan.write_text(f'[[step]]\nname = "one"\nsection = "times"\ncommand = {json.dumps(command)}\n')
    words = [sys.executable, "-m", "research.report", str(tmp_path), "--run", "--data", "data"]
    noted = tmp_path / "one.jsonl"
    words += ["--plan-file", str(plan)]
    with started(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        wait_until(lambda: noted.exists() and noted.read_text().endswith("\n"), running)
        child = int(noted.read_text())
        running.send_signal(signal.SIGTERM)
        assert running.wait(LONGEST) == 128 + signal.SIGTERM
        wait_until(lambda: not runs(child))


def test_what_was_run_before_the_experiments_moved_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    steps = read_plan(Places(Path("docs/results/data"), Path("../shared/data"), Path("weights")))
    states = {step.name: step.state() for step in steps}
    assert states["networks"] == states["formulas"] == "done"
    (noted,) = read_origins(Path("docs/results/data/networks.jsonl"))[-1:]
    assert noted.command.startswith("python -m research.experiments networks")

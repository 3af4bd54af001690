"""Trains every setting of the ablations, several at once; needs torch, numpy and pillow alone."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import Step
from edge2vec.training.checkpoint import WEIGHTS
from edge2vec.training.events import read_log
from research.experiments.lines import LineFile

PRESET = "best"
# The paper's batch: 1024 triplets, half of them from few pictures, and its lambda.
BASE = (
    "kind=edge2vec",
    "dimension=320",
    "groups=16",
    "intra_pictures=2",
    "intra_pairs=256",
    "inter_pairs=512",
    "negatives=1",
    "regularisation=1",
)
_TWINS = ("dimension=40", "groups=1", "loss=triplet", "symmetric=false", "regularisation=0")


@dataclass(frozen=True)
class Setting:
    """One value of one study.

    changes: `key=value` settings on top of the base.
    curve: whether it is validated on the way, too.
    """

    study: str
    value: str
    changes: tuple[str, ...] = ()
    curve: bool = False

    @property
    def settings(self) -> tuple[str, ...]:
        """Return all settings, each key once, in the order of the keys."""
        values = dict(one.split("=", 1) for one in (*BASE, *self.changes))
        return tuple(f"{key}={values[key]}" for key in sorted(values))

    @property
    def run(self) -> str:
        """Return the name of the run; settings that are the same share one."""
        text = " ".join((*self.settings, str(self.curve)))
        return hashlib.sha256(text.encode()).hexdigest()[:10]


def _batch(pairs: int) -> tuple[str, ...]:
    """Return a batch of so many pairs, half of them from two pictures."""
    return (f"intra_pairs={pairs // 4}", f"inter_pairs={pairs // 2}")


SETTINGS = (
    *(Setting("groups", str(one), (f"groups={one}",)) for one in (1, 2, 4, 8, 16)),
    # 40 numbers do not divide into 16 groups.
    *(
        Setting("dimension", str(one), (f"dimension={one}", "groups=8"))
        for one in (40, 80, 160, 320)
    ),
    *(Setting("batch", str(one), _batch(one)) for one in (64, 128, 256, 512, 1024)),
    Setting("sampling", "inter", ("intra_pictures=0", "inter_pairs=1024")),
    Setting("sampling", "1:1"),
    Setting("sampling", "intra", ("intra_pictures=4", "inter_pairs=0")),
    *(Setting("lambda", one, (f"regularisation={one}",)) for one in ("0", "0.1", "0.3", "1")),
    Setting("loss", "triplet", ("loss=triplet", "symmetric=false")),
    Setting("loss", "hbt"),
    Setting("towers", "twins (TEN)", ("kind=ten", *_TWINS), curve=True),
    Setting("towers", "one network", _TWINS, curve=True),
)

# Runs whose weights other experiments need, by the names those give them.
KEPT = {
    ("lambda", "0"): "lambda-0",
    ("lambda", "1"): "lambda-1",
    ("loss", "triplet"): "triplet",
    ("loss", "hbt"): "hbt",
}


_NEVER = 1_000_000_000
_CURVE_POINTS = 16


@dataclass(frozen=True)
class Training:
    """What all runs have in common.

    runs: the folder their folders go to. extra: more `key=value` settings, for trials.
    """

    folders: tuple[Path, ...]
    runs: Path
    steps: int
    device: str | None = None
    extra: tuple[str, ...] = ()


def ablate(
    training: Training,
    out: Path,
    *,
    studies: Sequence[str] = (),
    parallel: int = 1,
    keep: Path | None = None,
    report: Callable[[Step], None] = lambda step: None,
) -> None:
    """Write a line a setting; what is in the file, or trained to the end, is not trained again.

    studies: some of them, () for all. parallel: trainings at once. keep: where to copy the weights
        that other experiments need.
    """
    lines = LineFile(out, "ablation", ("study", "value", "steps"))
    wanted = [one for one in SETTINGS if not studies or one.study in studies]
    missing = [
        one
        for one in wanted
        if not lines.has(study=one.study, value=one.value, steps=training.steps)
    ]
    for one in wanted:
        if one not in missing:
            _keep_weights(one, training, keep)
    runs: dict[str, list[Setting]] = {}
    for one in missing:
        runs.setdefault(one.run, []).append(one)
    failed: list[str] = []
    with ThreadPoolExecutor(max(1, parallel)) as pool:
        started = {pool.submit(run_training, some[0], training): some for some in runs.values()}
        for number, future in enumerate(as_completed(started), 1):
            some, problem = started[future], future.result()
            if problem:
                failed.append(f"{some[0].study} {some[0].value}: {problem}")
            else:
                for one in some:
                    lines.add(**_line(one, training))
                    _keep_weights(one, training, keep)
            report(Step("ablations", number, len(runs)))
    if failed:
        raise Edge2VecError(f"{len(failed)} of {len(runs)} trainings failed: {'; '.join(failed)}")


def run_training(setting: Setting, training: Training) -> str:
    """Train one setting to its end, from its checkpoint if there is one; return what went wrong."""
    folder = training.runs / setting.run
    if _finished(folder, training.steps):
        return ""
    every = max(1, training.steps // _CURVE_POINTS) if setting.curve else _NEVER
    command = [sys.executable, "-m", "edge2vec.training", *map(str, training.folders)]
    command += [f"preset={PRESET}", f"steps={training.steps}", f"out={folder}"]
    looks = (f"validate_every={every}", f"checkpoint_every={max(500, training.steps // 2)}")
    command += [*setting.settings, *looks, *training.extra]
    if training.device:
        command.append(f"device={training.device}")
    if (folder / "checkpoint.pt").exists():
        command.append("resume=yes")
    folder.mkdir(parents=True, exist_ok=True)
    # Many trainings at once would start as many compilers a core.
    environment = {"TORCHINDUCTOR_COMPILE_THREADS": "3", **os.environ}
    with (folder / "output.txt").open("a", encoding="utf-8") as output:
        done = subprocess.run(
            command, stdout=output, stderr=subprocess.STDOUT, env=environment, check=False
        )
    if done.returncode == 0:
        return ""
    last = (folder / "output.txt").read_text("utf-8").strip().splitlines()
    return last[-1] if last else f"exit code {done.returncode}"


def _finished(folder: Path, steps: int) -> bool:
    return any((one["event"], one.get("step")) == ("finished", steps) for one in read_log(folder))


def _line(setting: Setting, training: Training) -> dict[str, Any]:
    """Return what a finished run says of itself."""
    log = read_log(training.runs / setting.run)
    started = next(one for one in log if one["event"] == "started")
    ended = next(one for one in reversed(log) if one["event"] == "finished")
    checks = [one for one in log if one["event"] == "validated"]
    return {
        "study": setting.study,
        "value": setting.value,
        "steps": training.steps,
        "settings": [f"preset={PRESET}", *setting.settings],
        "base": [f"preset={PRESET}", *BASE],
        "seconds": round(ended["seconds"], 1),
        "parameters": started["parameters"],
        "device": started["device"],
        "pictures": started["held_out"],
        "validation": {one["name"]: [one["type1"], one["type2"]] for one in checks},
        "curve": [
            {key: one[key] for key in ("step", "seconds", "type1", "type2")}
            for one in checks
            if one["name"] == checks[0]["name"]
        ],
    }


def _keep_weights(setting: Setting, training: Training, keep: Path | None) -> None:
    name, weights = KEPT.get((setting.study, setting.value)), training.runs / setting.run / WEIGHTS
    if name and keep and weights.exists():
        keep.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(weights, keep / f"{name}.safetensors")

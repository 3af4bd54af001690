"""Training from a folder of pictures to a finished run, as a stream of events."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from edge2vec.errors import OutputError
from edge2vec.networks.count import parameters
from edge2vec.training.building import build_run, validation_sets
from edge2vec.training.checkpoint import NAME, Checkpoint, load_checkpoint
from edge2vec.training.config import TrainingConfig
from edge2vec.training.distributed import processes
from edge2vec.training.errors import TrainingError
from edge2vec.training.events import Event, Finished, Progress, Saved, Started
from edge2vec.training.log import RunLog
from edge2vec.training.machine import Machine
from edge2vec.training.pictures import Folder, buffer_of, read_folder
from edge2vec.training.run import Run
from edge2vec.training.schedule import Budget
from edge2vec.training.stopping import stopping_between_steps
from edge2vec.training.validation import ValidationPuzzle


def train(
    config: TrainingConfig | None,
    *,
    folders: Sequence[str | Path],
    out: str | Path,
    minutes: float | None = None,
    steps: int | None = None,
    val: Sequence[str | Path] = (),
    resume: bool = False,
    init: str | Path | None = None,
    embedder: str | Path | None = None,
    machine: Machine | None = None,
    command: str = "",
) -> Iterator[Event]:
    """Train, yielding what happens; closing the iterator stops the run.

    config: None takes that of the run being resumed.
    folders: pictures to train with; every `hold_out`-th of each is kept for validation.
    out: the run's folder: checkpoint, log and curves.
    minutes, steps: the length of the whole run, earlier parts of a resumed one included. Minutes
        count training alone, without set-up and validation.
    val: more folders to validate on.
    resume: go on from the checkpoint in `out`.
    init: weights to start from, a file or the name of packaged ones.
    embedder: the weights, likewise, whose proposals a pair network re-ranks; resumed runs need
        them too.
    """
    budget = Budget(steps, minutes)
    machine = machine or Machine.detect()
    out = Path(out)
    checkpoint = _earlier(out, resume=resume, init=init)
    if config is None:
        config = checkpoint.config if checkpoint else TrainingConfig.from_preset("best")
    training, sets = _folders(config, folders, val)
    buffer = buffer_of(
        training,
        piece_size=config.piece_size,
        scales=config.scales,
        shares=config.shares,
        intra_shares=config.intra_shares,
    )
    if checkpoint:
        checkpoint.check(config, buffer.digest, out / NAME)
    record = {"command": command, "folders": [Path(folder).name for folder in folders]}
    with processes(machine.device) as group:
        run = build_run(
            config,
            buffer,
            machine=machine,
            processes=group,
            init=init,
            embedder=embedder,
            record=record,
        )
        if checkpoint:
            run.restore(checkpoint)
        puzzles = validation_sets(sets, config, machine) if group.first else {}
        log = _log(out, run.step) if group.first else None
        started = Started(
            step=run.step,
            pictures=sum(len(folder) for folder in training),
            held_out=sum(len(folder) for _, folder in sets[: len(training)]),
            parameters=parameters(run.network.folded()),
            device=str(machine.device),
            processes=group.world,
            data=run.data,
            config=config.to_values(),
        )
        try:
            for event in _events(run, budget, started, puzzles, out):
                if log is not None:
                    log.add(event)
                    if isinstance(event, Saved):
                        log.draw()
                    yield event
        finally:
            if log is not None:
                log.close()


def _events(
    run: Run,
    budget: Budget,
    started: Started,
    puzzles: dict[str, list[ValidationPuzzle]],
    out: Path,
) -> Iterator[Event]:
    """Yield the run's events; all processes take the same steps, the first has the puzzles."""
    yield started
    yield from run.baseline(puzzles)
    fraction = _fraction(run, budget)
    with stopping_between_steps() as stop_if_asked:
        while fraction < 1:
            if run.steps.ready:
                run.clock.go()
            run.steps.run(run.schedule.factor(fraction), run.step)
            run.step += 1
            fraction = _fraction(run, budget)
            yield from _after_step(run, fraction, puzzles, out)
            stop_if_asked()
    yield Finished(run.step, run.clock.seconds)


def _after_step(
    run: Run, fraction: float, puzzles: dict[str, list[ValidationPuzzle]], out: Path
) -> Iterator[Event]:
    """Yield what is due after a step: progress, validation, a checkpoint."""
    config, last = run.config, fraction >= 1
    looks = (config.validate_every, config.checkpoint_every)
    if last or _due(run.step, config.log_every, config.epoch_steps, *looks):
        yield _progress(run, fraction, out)
    if last or _due(run.step, config.validate_every):
        yield run.checked()
        yield from run.validated(puzzles)
    if run.processes.first and (last or _due(run.step, config.checkpoint_every)):
        yield Saved(run.step, str(run.save(out)))


def _fraction(run: Run, budget: Budget) -> float:
    """Return how much of the budget is used, by the first process's clock."""
    return run.processes.agreed(budget.fraction(run.step, run.clock.seconds))


def _progress(run: Run, fraction: float, out: Path) -> Progress:
    """Wait for the steps so far, stop the clock, and return how they went."""
    loss, wins, steps = run.steps.read()
    run.clock.stop()
    _check_finite(run, loss, out)
    run.note_loss(loss, steps)
    seconds = run.clock.seconds
    return Progress(
        step=run.step,
        loss=loss,
        wins=wins,
        factor=run.schedule.factor(fraction),
        fraction=fraction,
        steps_per_second=run.clock.lap(steps),
        seconds=seconds,
        seconds_left=seconds * (1 - fraction) / max(fraction, 1e-9),
    )


def _check_finite(run: Run, loss: float, out: Path) -> None:
    if not math.isfinite(loss):
        kept = out / NAME
        rest = f"the last checkpoint is kept in {kept}" if kept.exists() else "nothing was saved"
        raise TrainingError(
            f"step {run.step}: the loss is {loss}; {rest}; try lower learning rates"
        )


def _due(step: int, *intervals: int) -> bool:
    return any(step % interval == 0 for interval in intervals)


def _earlier(out: Path, *, resume: bool, init: str | Path | None) -> Checkpoint | None:
    """Return the checkpoint to go on from; refuse to write over a run unasked."""
    if resume and init is not None:
        raise TrainingError("both resume and init; a resumed run has its own weights already")
    if resume:
        return load_checkpoint(out)
    if (out / NAME).exists():
        raise TrainingError(f"{out}: holds a run already; resume it or choose another folder")
    return None


def _folders(
    config: TrainingConfig, folders: Sequence[str | Path], val: Sequence[str | Path]
) -> tuple[list[Folder], list[tuple[str, Folder]]]:
    """Return the folders to train with, and the named sets to validate on, held-out ones first."""
    if not folders:
        raise TrainingError("no folder to train with; give at least one")
    training: list[Folder] = []
    sets: list[tuple[str, Folder]] = []
    for path in folders:
        whole = read_folder(
            path, piece_size=config.piece_size, allow_artefacts=config.allow_artefacts
        )
        kept, held = whole.held_out(config.hold_out)
        training.append(kept)
        sets.append((f"held-out {whole.path.name}", held))
    for path in val:
        folder = read_folder(path, piece_size=config.piece_size)
        sets.append((folder.path.name, folder))
    return training, sets


def _log(out: Path, step: int) -> RunLog:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{out}: cannot be made ({error.strerror})") from None
    return RunLog(out, step=step)

"""Training from a folder of pictures to a finished run, as a stream of events."""

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from edge2vec.base.errors import TrainingError
from edge2vec.training.checkpoint import NAME, load_checkpoint, run_folder
from edge2vec.training.config import TrainingConfig
from edge2vec.training.events import Event, Finished, Overrun, Progress, RunLog, Saved, Started
from edge2vec.training.machine import Machine, first_process, processes, stopping_between_steps
from edge2vec.training.optimizers import Budget
from edge2vec.training.pictures import Folder, buffer_of, read_folder
from edge2vec.training.run import Run, build_run, validation_sets
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
    out: the run's folder: checkpoint, weights, log and curves. No other process may train there
        meanwhile, and files that are not the run's are not overwritten.
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
    if resume and init is not None:
        raise TrainingError("both resume and init; a resumed run has its own weights already")
    with ExitStack() as held:
        if first_process():
            held.enter_context(run_folder(out, resume=resume))
        checkpoint = load_checkpoint(out) if resume else None
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
        group = held.enter_context(processes(machine.device))
        run = build_run(
            config,
            buffer,
            machine=machine,
            processes=group,
            init=init,
            embedder=embedder,
            record={
                "command": command,
                "folders": [Path(folder).name for folder in folders],
                "held_out": _held_out([held for _, held in sets[: len(training)]]),
            },
        )
        if checkpoint:
            run.restore(checkpoint)
        puzzles = validation_sets(sets, config, machine) if group.first else {}
        started = Started(
            step=run.step,
            pictures=sum(len(folder) for folder in training),
            held_out=sum(len(folder) for _, folder in sets[: len(training)]),
            parameters=sum(one.numel() for one in run.network.folded().parameters()),
            device=str(machine.device),
            processes=group.world,
            data=run.data,
            config=config.to_values(),
        )
        events = _events(run, budget, started, puzzles, out)
        if group.first:
            yield from _logged(events, RunLog(out, step=run.step))
        else:
            for _ in events:
                pass


def _logged(events: Iterator[Event], log: RunLog) -> Iterator[Event]:
    """Yield the events, each written to the log before."""
    try:
        for event in events:
            log.add(event)
            if isinstance(event, Saved):
                log.draw()
            yield event
    finally:
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
    with stopping_between_steps() as asked_to_stop:
        while fraction < 1:
            before = run.clock.seconds
            if run.steps.ready:
                run.clock.go()
            run.steps.run(run.schedule.factor(fraction), run.step)
            run.step += 1
            fraction = _fraction(run, budget)
            seconds = run.clock.seconds - before
            if budget.minutes is not None and seconds > 60 * budget.minutes:
                # Validation would take several times as long.
                yield from _kept(run, out)
                yield Overrun(run.step, seconds, budget.minutes)
                break
            for event in _after_step(run, fraction, puzzles, out):
                yield event
                if asked_to_stop():
                    break
            if asked_to_stop():
                yield from _kept(run, out)
                raise KeyboardInterrupt
    yield Finished(run.step, run.clock.seconds)


def _after_step(
    run: Run, fraction: float, puzzles: dict[str, list[ValidationPuzzle]], out: Path
) -> Iterator[Event]:
    """Yield what is due after a step: progress, validation, a checkpoint."""
    config, last = run.config, fraction >= 1
    looks = (config.validate_every, config.checkpoint_every)
    if last or _due(run.step, config.log_every, config.epoch_steps, *looks):
        yield _progress(run, fraction, out)
    if run.processes.first and last:
        # On a slow machine what follows takes minutes, in which the run may be stopped.
        yield Saved(run.step, str(run.save(out)))
    if last or _due(run.step, config.validate_every):
        yield run.checked()
        yield from run.validated(puzzles)
    if run.processes.first and (last or _due(run.step, config.checkpoint_every)):
        yield Saved(run.step, str(run.save(out)))


def _kept(run: Run, out: Path) -> Iterator[Event]:
    """Yield the checkpoint of a run that is stopped, unless this step has one."""
    if run.processes.first and run.saved != run.step:
        loss, _, steps = run.steps.read()
        run.clock.stop()
        _check_finite(run, loss, out)
        run.note_loss(loss, steps)
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


def _held_out(folders: Sequence[Folder]) -> dict[str, list[str]]:
    """Return the names of pictures that are not trained with, by the name of their folder."""
    names: dict[str, list[str]] = {}
    for folder in folders:
        names.setdefault(folder.path.name, []).extend(folder.names)
    return names

"""`python -m research.experiments NAME ...`: one experiment, its lines into a file."""

import argparse
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import Step
from research.report.origin import add_origin, origin_here

# Nothing heavier may be imported up here: some experiments run where only torch is installed.


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one experiment and return its exit code: 2 for a mistake in what was asked for."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(words)
    start = perf_counter()
    try:
        options.run(options)
        if options.out.is_file():
            command = shlex.join(["python", "-m", "research.experiments", *_portable(words)])
            device, seconds = getattr(options, "gpu", ""), perf_counter() - start
            add_origin(options.out, origin_here(command, seconds=seconds, device=device))
    except Edge2VecError as error:
        print(f"edge2vec: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    return 0


def _portable(words: Sequence[str]) -> list[str]:
    """Return the words with absolute paths, also in NAME:PATH and KEY=PATH, cut to their names."""
    return [re.sub(r"(^|[:=])/.*?([^/]+)/?$", r"\1\2", word) for word in words]


def _show(step: Step) -> None:
    print(f"{step.stage}: {step.done}/{step.total}", file=sys.stderr, flush=True)


def _networks(options: argparse.Namespace) -> None:
    from research.experiments.networks import count_networks

    count_networks(options.out)


def _times(options: argparse.Namespace) -> None:
    from research.experiments.times import time_measures, time_networks

    common: dict[str, Any] = {"longest": options.longest, "report": _show}
    if options.torch:
        time_networks(
            options.picture, options.out, weights=options.weights, device=options.device, **common
        )
        return
    measures = [one for one in options.measure.split(",") if one]
    time_measures(
        options.picture, options.out, measures=measures, weights=options.weights, **common
    )


def _masking(options: argparse.Namespace) -> None:
    from research.experiments.embeddings import mask_features

    networks = _named(options.network)
    mask_features(options.folders, networks, options.out, limit=options.limit, report=_show)


def _distances(options: argparse.Namespace) -> None:
    from research.experiments.embeddings import map_distances

    map_distances(options.picture, _named(options.network), options.out)


def _gallery(options: argparse.Namespace) -> None:
    from edge2vec.evaluation import Settings
    from research.experiments.gallery import keep_boards

    keep_boards(
        options.folder,
        options.measure.split(","),
        options.out,
        solver=options.solver,
        type_=options.type,
        settings=Settings(weights=tuple(options.weights)),
        limit=options.limit,
        report=_show,
    )


def _ablations(options: argparse.Namespace) -> None:
    from research.experiments.ablations import Training, ablate

    training = Training(
        tuple(options.folders), options.runs, options.steps, options.device, tuple(options.set)
    )
    ablate(
        training,
        options.out,
        studies=[one for one in options.study.split(",") if one],
        parallel=options.parallel,
        keep=options.keep,
        report=_show,
    )


def _pair_tables(options: argparse.Namespace) -> None:
    from research.experiments.pair_tables import bundled, make_tables

    make_tables(
        options.folder,
        options.weights,
        options.out,
        pictures=slice(options.first, options.last),
        device=options.device,
        report=_show,
    )
    if options.bundle:
        bundled(list(options.out.glob("*.npz")), options.bundle)


def _solve_tables(options: argparse.Namespace) -> None:
    from research.experiments.solving_tables import solve_tables

    solve_tables(
        options.tables,
        options.pictures,
        options.out,
        solvers=options.solver.split(","),
        post=options.post,
        runs=options.runs,
        report=_show,
    )


def _named(words: Sequence[str]) -> dict[str, Path]:
    """Return paths by name from words like `lambda=0:PATH`."""
    named = {}
    for word in words:
        name, equals, path = word.partition(":")
        if not equals:
            raise Edge2VecError(f"--network {word}; expected NAME:PATH")
        named[name] = Path(path)
    return named


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="research.experiments", description=__doc__)
    commands = parser.add_subparsers(required=True)

    def command(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=text)
        one.set_defaults(run=run)
        one.add_argument("--out", type=Path, required=True, help="where the results go")
        return one

    command("networks", _networks, "parameters and multiply-accumulates (torch)")
    times = command("times", _times, "seconds for all scores")
    times.add_argument("picture", type=Path, help="with room for 64 x 50 pieces of 28 px")
    times.add_argument("--measure", default="ssd,pbc,l1,mgc", help="on the CPU")
    times.add_argument("--weights", action="append", default=[])
    times.add_argument("--torch", action="store_true", help="the networks of --weights by torch")
    times.add_argument("--longest", type=float, default=600.0, help="leave out what takes longer")
    masking = command("masking", _masking, "Top-1 without the largest features")
    masking.add_argument("folders", type=Path, nargs="+")
    distances = command("distances", _distances, "distance maps of one puzzle")
    distances.add_argument("picture", type=Path)
    for one in (masking, distances):
        one.add_argument("--network", action="append", default=[], metavar="NAME:WEIGHTS")
    gallery = command("gallery", _gallery, "boards of the best and the worst pictures")
    gallery.add_argument("folder", type=Path)
    gallery.add_argument("--measure", default="ssd,mgc,edge2vec")
    gallery.add_argument("--solver", default="regrowth")
    gallery.add_argument("--type", type=int, default=2)
    gallery.add_argument("--weights", action="append", default=[])
    ablations = command("ablations", _ablations, "train every setting (torch alone)")
    ablations.add_argument("folders", type=Path, nargs="+")
    ablations.add_argument("--runs", type=Path, required=True, help="the runs' folders go here")
    ablations.add_argument("--steps", type=int, required=True)
    ablations.add_argument("--study", default="", help="some studies, with commas between")
    ablations.add_argument("--parallel", type=int, default=1)
    ablations.add_argument("--keep", type=Path, help="folder for weights that are needed later")
    ablations.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    tables = command("pair-tables", _pair_tables, "best candidates by E2E, on a GPU (torch alone)")
    tables.add_argument("folder", type=Path)
    tables.add_argument("--weights", type=Path, required=True)
    tables.add_argument("--first", type=int, default=None, help="of the pictures, from 0")
    tables.add_argument("--last", type=int, default=None, help="the one behind the last")
    tables.add_argument("--bundle", type=Path, help="folder for zip files of the tables")
    for one in (times, ablations, tables):
        one.add_argument("--device", help="cpu or cuda")
        one.add_argument("--gpu", default="", help="what the GPU is called, for the record")
    solving = command("solve-tables", _solve_tables, "solve from the tables of pair-tables")
    solving.add_argument("tables", type=Path, nargs="+")
    solving.add_argument("--pictures", type=Path, required=True)
    solving.add_argument("--solver", default="gallagher")
    solving.add_argument("--post", default="paper", help="none, paper, sinkhorn or loops")
    solving.add_argument("--runs", type=int, default=1)
    for one in (masking, gallery):
        one.add_argument("--limit", type=int)
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""`python -m edge2vec.training train|export ...`, also under torchrun; needs only torch."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from edge2vec.base.errors import Edge2VecError
from edge2vec.training.config import presets
from edge2vec.training.events import to_text
from edge2vec.training.export import export
from edge2vec.training.loop import train
from edge2vec.training.machine import Machine
from edge2vec.training.request import check_export, check_train, command_line, requested_config


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 2 for a mistake in what was asked for."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except Edge2VecError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _train(options: argparse.Namespace) -> int:
    machine = Machine.detect(
        options.device, compile=not options.no_compile, graph=not options.no_graph
    )
    check_train(
        options.out,
        folders=options.folders,
        val=options.val,
        init=options.init,
        embedder=options.embedder,
    )
    config = requested_config(
        options.out, preset=options.preset, settings=options.set, resume=options.resume
    )
    events = train(
        config,
        folders=options.folders,
        out=options.out,
        minutes=options.minutes,
        steps=options.steps,
        val=options.val,
        resume=options.resume,
        init=options.init,
        embedder=options.embedder,
        machine=machine,
        command=command_line(["edge2vec", *sys.argv[1:]]),
    )
    for event in events:
        print(to_text(event), flush=True)
    return 0


def _export(options: argparse.Namespace) -> int:
    check_export(options.run, options.weights, options.calibrate)
    weights = export(options.run, options.weights)
    print(f"{options.weights}: {weights.config.kind}, sha256 {weights.sha256}")
    if options.calibrate:
        # Needs onnxruntime, which training does not.
        from edge2vec.networks.calibration import calibrate

        calibrate(options.weights, map(Path, options.calibrate))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="edge2vec.training", description=__doc__)
    commands = parser.add_subparsers(required=True)
    train_ = commands.add_parser("train", help="train a network on folders of pictures")
    train_.set_defaults(command=_train)
    train_.add_argument("folders", nargs="+", metavar="FOLDER")
    train_.add_argument("--preset", help=f"one of {', '.join(presets())} (default: best)")
    train_.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    train_.add_argument("--out", required=True, metavar="RUN", help="the run's folder")
    length = train_.add_mutually_exclusive_group(required=True)
    length.add_argument("--minutes", type=float)
    length.add_argument("--steps", type=int)
    train_.add_argument("--val", action="append", default=[], metavar="FOLDER")
    start = train_.add_mutually_exclusive_group()
    start.add_argument("--resume", action="store_true", help="go on from RUN's checkpoint")
    start.add_argument("--init", metavar="WEIGHTS", help="start from a file or a name")
    train_.add_argument("--embedder", metavar="WEIGHTS", help="proposes what `pair` re-ranks")
    train_.add_argument("--device", help="cpu or cuda (default: cuda where there is one)")
    train_.add_argument("--no-compile", action="store_true", help="without torch.compile")
    train_.add_argument("--no-graph", action="store_true", help="without a CUDA graph")
    export_ = commands.add_parser("export", help="write the folded fp16 weights of a run")
    export_.set_defaults(command=_export)
    export_.add_argument("run", metavar="RUN")
    export_.add_argument("weights", metavar="WEIGHTS")
    export_.add_argument("--calibrate", action="append", default=[], metavar="FOLDER")
    return parser


if __name__ == "__main__":
    sys.exit(main())

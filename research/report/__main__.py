"""`python -m research.report [RESULTS...]`: results beside the paper's, as tables and one page."""

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from edge2vec.base.errors import Edge2VecError
from edge2vec.base.files import check_outputs
from edge2vec.cli.progress import progress
from research.report.page import files_read, files_written, write_report
from research.report.plan import PLAN, Places, described, read_plan, run_plan

# Beside --data, the gallery shows pictures from here: the repository's own.
_SAMPLES = Path("samples")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the report and return the exit code: 2 for whatever the caller can mend."""
    options = parser().parse_args(arguments)
    try:
        make_report(options)
    except (Edge2VecError, OSError) as error:
        print(f"edge2vec: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("edge2vec: stopped; what was finished is kept", file=sys.stderr)
        return 128 + signal.SIGINT
    return 0


def make_report(options: argparse.Namespace) -> None:
    """Do what the options ask for: print the plan, run it, write the report."""
    folders, out = options.results or [options.out / "data"], options.out
    failed: list[str] = []
    if options.plan or options.run:
        if options.data is None:
            raise Edge2VecError("a plan needs --data, the folder with test, train and train_large")
        if not options.plan and folders[0].is_file():
            raise Edge2VecError(f"--run with {folders[0]}; expected a folder that results go to")
        places = Places(folders[0], options.data, options.weights)
        steps = read_plan(places, file=options.plan_file)
        if options.plan:
            print(described(steps))
            return
    check_outputs(
        "report",
        reads=files_read(folders, plan_file=options.plan_file, weights=options.weights),
        writes=files_written(out),
    )
    if options.run:
        failed = run_plan(steps, say=lambda line: print(line, file=sys.stderr, flush=True))
    shown = [one for one in (options.data, _SAMPLES) if one is not None]
    with progress() as show:
        sections = write_report(folders, out, weights=options.weights, pictures=shown, report=show)
    print(f"wrote {out / 'index.html'}: {', '.join(section.name for section in sections)}")
    if failed:
        raise Edge2VecError(f"{len(failed)} steps of the plan failed: {'; '.join(failed)}")


def parser() -> argparse.ArgumentParser:
    """Return the parser of this command's words."""
    parser = argparse.ArgumentParser(prog="research.report", description=__doc__)
    parser.add_argument(
        "results", type=Path, nargs="*", help="files of JSON lines, or folders; usual: OUT/data"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("docs/results"), help="the folder to write"
    )
    parser.add_argument(
        "--run", action="store_true", help="first run what the plan still needs; rerun to resume"
    )
    parser.add_argument(
        "--plan", action="store_true", help="only print the plan: each command and its state"
    )
    parser.add_argument("--plan-file", type=Path, default=PLAN, help="another plan, a TOML file")
    parser.add_argument("--data", type=Path, help="pictures: test, train and train_large")
    parser.add_argument(
        "--weights", type=Path, default=Path("weights"), help="weights outside the package"
    )
    return parser


if __name__ == "__main__":
    # Ended as by an exception, so that the command that is running is stopped as well.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(main())

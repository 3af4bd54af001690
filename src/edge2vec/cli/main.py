"""The command `edge2vec`: one short file a command; heavy imports wait until one runs."""

import os
import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from edge2vec import __version__
from edge2vec.base.errors import Edge2VecError, Stopped
from edge2vec.cli.cut import cut_command
from edge2vec.cli.evaluate import evaluate_command
from edge2vec.cli.listing import measures_command, solvers_command
from edge2vec.cli.solve import solve_command
from edge2vec.cli.train import calibrate_command, export_command, train_command

WRONG, STOPPED, TERMINATED = 2, 128 + signal.SIGINT, 128 + signal.SIGTERM

app = typer.Typer(
    help="Put pictures back together from square pieces.",
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _before(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    """Put pictures back together from square pieces."""
    if version:
        print(f"edge2vec {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(WRONG)


app.command("cut")(cut_command)
app.command("solve")(solve_command)
app.command("evaluate")(evaluate_command)
app.command("train")(train_command)
app.command("export")(export_command)
app.command("calibrate")(calibrate_command)
app.command("measures")(measures_command)
app.command("solvers")(solvers_command)


@app.command(
    "report",
    hidden=True,
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
def _report() -> None:
    """Say where the report is made."""
    raise Edge2VecError(
        "the report is no command; in a checkout of edge2vec, use `make report` or "
        "`python -m research.report`"
    )


def main() -> None:
    """Run the command line; whatever a user can get wrong ends in one line and an exit code."""
    kept = "nothing was finished"
    stops: list[int] = []
    _stop_at_sigterm(stops)
    try:
        code = app(standalone_mode=False, prog_name="edge2vec")
        sys.stdout.flush()
    except Edge2VecError as error:
        code = _complain(str(error), WRONG)
    except Stopped as stopped:
        code, kept = STOPPED, str(stopped)
    except KeyboardInterrupt:
        code = STOPPED
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`): end quietly, as typer does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except typer.TyperException as error:
        code = _complain(error.format_message(), WRONG)
    except OSError as error:
        # No file can have some names, and a disk may fail at any time.
        where = f"{error.filename}: " if error.filename else ""
        code = _complain(f"{where}{error.strerror or error}", WRONG)
    except MemoryError as error:
        code = _complain(f"not enough memory ({error})", WRONG)
    if code == STOPPED:
        code = _complain(f"stopped; {kept}", TERMINATED if stops else STOPPED)
    sys.exit(code)


def _stop_at_sigterm(stops: list[int]) -> None:
    """Treat SIGTERM as Ctrl-C from now on, and note it in `stops`."""

    def stop(number: int, frame: FrameType | None) -> None:
        stops.append(number)
        at_ctrl_c = signal.getsignal(signal.SIGINT)
        # Started in the background by a shell, a process ignores Ctrl-C.
        if not callable(at_ctrl_c):
            raise KeyboardInterrupt
        at_ctrl_c(signal.SIGINT, frame)

    signal.signal(signal.SIGTERM, stop)


def _complain(message: str, code: int) -> int:
    """Print one line on stderr and return the exit code."""
    print("edge2vec:", " ".join(message.split()), file=sys.stderr)
    return code

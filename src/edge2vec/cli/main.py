"""The command `edge2vec`: one short file a command; heavy imports wait until one runs."""

import os
import sys

import typer

from edge2vec.cli.cut import cut_command
from edge2vec.cli.evaluate import evaluate_command
from edge2vec.cli.listing import measures_command, solvers_command
from edge2vec.cli.report import report_command
from edge2vec.cli.solve import solve_command
from edge2vec.cli.train import calibrate_command, export_command, train_command
from edge2vec.errors import Edge2VecError

WRONG, STOPPED = 2, 130

app = typer.Typer(
    help="Put pictures back together from square pieces.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("cut")(cut_command)
app.command("solve")(solve_command)
app.command("evaluate")(evaluate_command)
app.command("report")(report_command)
app.command("train")(train_command)
app.command("export")(export_command)
app.command("calibrate")(calibrate_command)
app.command("measures")(measures_command)
app.command("solvers")(solvers_command)


def main() -> None:
    """Run the command line; whatever a user can get wrong ends in one line and an exit code."""
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except Edge2VecError as error:
        code = _complain(str(error), WRONG)
    except KeyboardInterrupt:
        code = STOPPED
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`): end quietly, as typer does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except typer.TyperException as error:
        code = _complain(error.format_message(), WRONG)
    if code == STOPPED:
        _complain("stopped; what was finished is kept", STOPPED)
    sys.exit(code)


def _complain(message: str, code: int) -> int:
    """Print one line on stderr and return the exit code."""
    print("edge2vec:", " ".join(message.split()), file=sys.stderr)
    return code

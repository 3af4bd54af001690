"""Results by weights that have been replaced since: left out before a step is run again.

A command that resumes keeps every line that it finds, and would keep those of the former weights
under the name of the new ones.
"""

import json
from dataclasses import asdict, replace

from edge2vec.base.files import replacing
from edge2vec.base.locks import locked
from edge2vec.measures import MEASURES
from edge2vec.report.origin import origin_path, read_origins
from edge2vec.report.plan import PlannedStep


def leave_out_stale(step: PlannedStep) -> int:
    """Remove the lines of a step's file that other weights gave; return how many there were.

    Puzzles measured by formulas alone stay. Runs noted beside the file forget their weights, so
    that a run that is stopped half-way resumes.
    """
    now, made = step.inputs(), read_origins(step.makes)
    former = [one.inputs for one in made if one.inputs]
    if not former or now in former or not step.makes.is_file():
        return 0
    with locked(step.makes, doing="is writing it"):
        lines = step.makes.read_text("utf-8").splitlines(keepends=True)
        kept = [line for line in lines if _by_formula(line)]
        with replacing(step.makes) as temporary:
            temporary.write_text("".join(kept), "utf-8")
        notes = [asdict(replace(one, inputs={})) for one in made] if kept else []
        with replacing(origin_path(step.makes)) as temporary:
            temporary.write_text(json.dumps(notes, indent=1) + "\n", "utf-8")
    return len(lines) - len(kept)


def _by_formula(line: str) -> bool:
    """Return whether a line is that of a puzzle and of a measure that needs no weights.

    Experiments have lines of a kind, which belong together: best and worst board, for example.
    """
    try:
        found = json.loads(line)
        return "kind" not in found and found["measure"] in MEASURES
    except (ValueError, TypeError, KeyError):
        return False

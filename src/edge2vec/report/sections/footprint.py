"""Parameters and multiply-accumulates, counted from the networks themselves."""

from edge2vec.report import published
from edge2vec.report.results import Line, Results
from edge2vec.report.section import Section, files_of
from edge2vec.report.tables import Cell, Table
from edge2vec.report.verdicts import of_cost


def footprint(results: Results) -> Section | None:
    """Return the table of networks."""
    lines = results.of("network")
    if not lines:
        return None
    table = Table(
        "footprint",
        "A pair means two pieces; a puzzle of N pieces has 8N embeddings, or 16 N^2 pairs where a "
        "network looks at all pairs. The re-ranking network looks at up to 16 candidates an edge, "
        "both ways, after an embedding network. Distances of embeddings are not counted, as in the "
        "paper.",
        ("network", "parameters, M", "MACs a pair, G", "MACs a puzzle, G"),
        tuple(_row(line) for line in lines),
    )
    return Section(
        name="footprint",
        title="Footprint and multiply-accumulates",
        text=(
            "Counted layer by layer in the networks as they are built here, biases included, batch "
            "norm folded away.",
        ),
        tables=(table,),
        files=files_of(lines),
    )


def _row(line: Line) -> tuple[Cell | str, ...]:
    """Return one network beside the paper's."""
    theirs = published.footprint(line["name"])
    pair = line["macs"] * line["a_pair"] / 1e9
    puzzle = line["macs"] * line["a_puzzle"] / 1e9
    return (
        published.method(line["name"]),
        _cell(line["parameters"] / 1e6, theirs, "parameters_m"),
        _cell(pair, theirs, "macs_pair_g"),
        _cell(puzzle, theirs, "macs_puzzle_g", line["growth"]),
    )


def _cell(ours: float, theirs: dict[str, str] | None, column: str, growth: str = "") -> Cell | str:
    unit = f" {growth}" if growth else ""
    text = f"{ours:.2f}{unit}"
    if theirs is None:
        return text
    return Cell(text, f"{theirs[column]}{unit}", of_cost(ours, float(theirs[column])))

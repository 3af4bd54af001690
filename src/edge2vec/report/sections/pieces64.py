"""The comparison at 64 px with 2 px eroded, with Bridger et al.'s published numbers."""

from edge2vec.report import published
from edge2vec.report.catalogue import sample, title
from edge2vec.report.results import EVALUATION, Line, Results
from edge2vec.report.section import Section, files_of, spread
from edge2vec.report.sections.ours_and_paper import Point, dots
from edge2vec.report.sections.performance import row_name
from edge2vec.report.tables import Cell, Table
from edge2vec.report.verdicts import EXPLANATION, of_cost, of_points

_SETS = ("mit", "mcgill", "bgu805")


def pieces64(results: Results) -> Section | None:
    """Return the table of all solvers that ran on 64-px pieces, Type-1 as in the paper."""
    lines = results.of(
        EVALUATION,
        lambda line: (
            (line["piece_size"], line["erode"], line["type"]) == (64, 2, 1)
            and line["dataset"] in _SETS
            and line["solver"] != "none"
        ),
    )
    if not lines:
        return None
    sets = [name for name in _SETS if any(line["dataset"] == name for line in lines)]
    panels = [(f"{title(name)}", _points(lines, name)) for name in sets]
    note = (
        f"Upright pieces, 2 px eroded; {_samples(lines, sets)}. Dot: mean; bar: middle half of the "
        "pictures; diamond: the paper's Edge2Vec with Gallagher's solver."
    )
    plot = dots("pieces64", "Neighbour accuracy at 64 px", note, panels)
    return Section(
        name="pieces64",
        title="64-px pieces with 2 px eroded, beside Bridger et al.",
        text=(
            "Upright pieces. Rows of the paper: Bridger et al. (a GAN as measure, Paikin and Tal's "
            "solver) and the paper's Edge2Vec with Gallagher's solver. Each of ours is compared "
            "with the paper's Edge2Vec. McGill and BGU are JPEG pictures. " + EXPLANATION,
        ),
        tables=tuple(_table(lines, name) for name in sets),
        plots=(plot,),
        files=files_of(lines),
    )


def _samples(lines: list[Line], sets: list[str]) -> str:
    """Return how many pictures each set had."""
    found = {(line["dataset"], line["picture"]) for line in lines}
    counts = {name: sum(dataset == name for dataset, _ in found) for name in sets}
    return ", ".join(f"{title(name)}: {sample(name, count)}" for name, count in counts.items())


def _rows(lines: list[Line], dataset: str) -> dict[tuple[str, str, str], list[Line]]:
    rows: dict[tuple[str, str, str], list[Line]] = {}
    for line in lines:
        if line["dataset"] == dataset:
            key = (line["label"], line["post"], line["solver"])
            rows.setdefault(key, []).append(line)
    return rows


def _table(lines: list[Line], dataset: str) -> Table:
    rows: list[tuple[Cell | str, ...]] = []
    for name, said in (("bridger", ""), ("edge2vec", " of the paper, Gallagher")):
        theirs = published.pieces64(name, dataset)
        if theirs:
            shown = (theirs["neighbour"], theirs["perfect"], theirs["seconds"])
            rows.append((published.method(name) + said, *shown, "20 pictures"))
    theirs = published.pieces64("edge2vec", dataset) or {}
    for (label, post, solver), some in _rows(lines, dataset).items():
        share = spread(some, "neighbour")
        if share is None:
            continue
        # Of several runs a puzzle counts as perfect by the share of the runs that were.
        perfect = sum(line["perfect"] for line in some) / 100 / share.runs
        times = (spread(some, name) for name in ("measure_seconds", "solve_seconds"))
        seconds = sum(one.mean for one in times if one)
        rows.append(
            (
                f"{row_name(label, post)}, {solver}",
                Cell(
                    f"{share.mean:.1f} ± {share.deviation:.1f}",
                    theirs["neighbour"],
                    of_points(share.mean, float(theirs["neighbour"])),
                ),
                Cell(
                    f"{perfect:g}",
                    theirs["perfect"],
                    of_points(perfect, float(theirs["perfect"])),
                ),
                Cell(
                    f"{seconds:.2f}",
                    theirs["seconds"],
                    of_cost(seconds, float(theirs["seconds"])),
                ),
                sample(dataset, share.pictures),
            )
        )
    pieces = sorted({line["pieces"] for line in lines if line["dataset"] == dataset})
    caption = f"{title(dataset)}, {' or '.join(map(str, pieces))} pieces."
    heads = ("method", "neighbours, %", "perfect puzzles", "seconds a puzzle", "sample")
    return Table(f"pieces64-{dataset}", caption, heads, tuple(rows))


def _points(lines: list[Line], dataset: str) -> list[Point]:
    theirs = published.pieces64("edge2vec", dataset)
    paper = float(theirs["neighbour"]) if theirs else None
    points: list[Point] = []
    for (label, post, solver), some in _rows(lines, dataset).items():
        share = spread(some, "neighbour")
        if share is not None:
            points.append((f"{row_name(label, post)}, {solver}", share, paper))
    return points

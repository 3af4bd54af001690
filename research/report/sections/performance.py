"""The paper's main table, and the one of 64-px pieces: Top-1 and solvers by measure and set."""

from collections.abc import Iterable

from research.report import published
from research.report.figures import Plot, Point, dots
from research.report.published import DATASETS, remark, sample, title
from research.report.results import EVALUATION, Line, Results, Spread, files_of, spread
from research.report.section import EXPLANATION, NOTHING, Cell, Section, Table, of_cost, of_points

# Columns: head, figure of a row, solver; Top-1 is the same whatever the solver.
COLUMNS = (
    ("Top-1", "top1", ""),
    ("Gallagher", "neighbour", "gallagher"),
    ("genetic", "neighbour", "genetic"),
    ("regrowth (ours)", "neighbour", "regrowth"),
)
# Rows with these scores stand below those of the paper's table, which has no such rows.
OWN_POSTS = {"sinkhorn": "one-to-one", "loops": "one-to-one, loops"}
# Networks of ours, and which of the paper's they are compared with.
AGAINST = dict.fromkeys(("edge2vec-x", "edge2vec+rerank", "edge2vec-x+rerank"), "edge2vec")
_ORDER = ("ssd", "pbc", "l1", "mgc", "ten", "ten-l", "e2e", "edge2vec")


def performance(results: Results) -> Section | None:
    """Return the section over all puzzles of 28 px with 1 px eroded."""
    lines = results.of(EVALUATION, lambda line: (line["piece_size"], line["erode"]) == (28, 1))
    sets = [name for name in ("mit", "div2k", "pirm") if any(_of(lines, dataset=name))]
    # The large JPEG sets have a section of their own; a folder of a user's stands here.
    sets += sorted({line["dataset"] for line in lines} - set(DATASETS))
    lines = [line for line in lines if line["dataset"] in sets]
    if not lines:
        return None
    tables, plots = [], []
    for name in sets:
        for type_ in (1, 2):
            some = list(_of(lines, dataset=name, type=type_))
            if some:
                tables.append(_table(some, name, type_))
                plots.append(_plot(some, name, type_))
    return Section(
        name="performance",
        title="Measures and solvers, 28-px pieces that lost their outermost pixel",
        text=(
            "Top-1: the share of edges whose best candidate is their true neighbour. Solvers: the "
            "share of true joints that the board has (neighbour accuracy). All in %, the mean over "
            "the pictures ± their standard deviation. Scores are "
            "those of the paper: raw for formulas, min-max scaled and symmetrised for networks, "
            "but raw for all where Gallagher's solver makes ratios of them; "
            "rows called one-to-one and loops use our post-processing, which compares edges with "
            "one another, so that their Top-1 has no counterpart in the paper. Their boards are "
            "compared with the paper's for the same measure and solver, our solver with the better "
            "of the paper's two, and our own networks with the paper's Edge2Vec.",
            EXPLANATION,
        ),
        tables=tuple(tables),
        plots=tuple(plots),
        files=files_of(lines),
    )


def _of(lines: Iterable[Line], **wanted: object) -> Iterable[Line]:
    return (line for line in lines if all(line[key] == value for key, value in wanted.items()))


def row_order(lines: Iterable[Line]) -> list[tuple[str, str]]:
    """Return (label, post) of every row: the paper's order, then ours, then by post."""
    rows = {(line["label"], line["post"]) for line in lines}
    # Raw scores of networks are in the paper's row, for the solver that takes them.
    rows = {(label, _row_post(label, post)) for label, post in rows}

    def place(row: tuple[str, str]) -> tuple[int, int, str, str]:
        label, post = row
        known = _ORDER.index(label) if label in _ORDER else len(_ORDER)
        posts = (*("none", "paper"), *OWN_POSTS)
        return (posts.index(post) if post in OWN_POSTS else 0, known, label, post)

    return sorted(rows, key=place)


def row_name(label: str, post: str) -> str:
    """Return how a row is called: `MGC`, `MGC, one-to-one`, `MGC, paper's scaling`."""
    name = published.method(label)
    if post in OWN_POSTS:
        return f"{name}, {OWN_POSTS[post]}"
    return name if post == published_post(label) else f"{name}, post {post}"


def published_post(label: str) -> str:
    """Return the post-processing that the paper's table has for a measure."""
    return "none" if label in ("ssd", "pbc", "l1", "mgc") else "paper"


def _row_post(label: str, post: str) -> str:
    """Return the post-processing that names the row of results with this one."""
    return published_post(label) if post == "none" else post


def found(lines: list[Line], row: tuple[str, str], figure: str, solver: str) -> Spread | None:
    """Return the spread of one cell of the table."""
    label, post = row
    if solver == "gallagher" and post == published_post(label):
        # The paper divides raw scores by the second best of their edge; after min-max scaling
        # every mutual best is 0, and ratios say little. Whoever has no raw scores gets those.
        raw = spread(_of(lines, label=label, post="none", solver=solver), figure)
        if raw is not None:
            return raw
    some = list(_of(lines, label=label, post=post))
    if solver:
        return spread(_of(some, solver=solver), figure)
    # Every solver's rows repeat the Top-1 of the puzzle; one run of one solver is enough.
    first = {(line["dataset"], line["picture"], line["type"]): line for line in reversed(some)}
    return spread(first.values(), figure)


def paper_value(row: tuple[str, str], metric: str, dataset: str, type_: int) -> float | None:
    """Return the paper's figure that a cell is compared with, None for none.

    metric: top1, or the name of a solver; ours is compared with the better one of the paper's two.
    """
    label, post = row
    name = AGAINST.get(label, label)
    if metric == "top1" and post != published_post(label):
        return None
    solvers = ("gallagher", "genetic") if metric == "regrowth" else (metric,)
    found = [published.accuracy(name, one, dataset, type_) for one in solvers]
    return max((one for one in found if one is not None), default=None)


def _table(lines: list[Line], dataset: str, type_: int) -> Table:
    rows: list[tuple[Cell | str, ...]] = []
    for row in row_order(lines):
        cells = [
            _cell(found(lines, row, figure, solver), row, solver or "top1", dataset, type_)
            for _, figure, solver in COLUMNS
        ]
        pictures = len({line["picture"] for line in _of(lines, label=row[0], post=row[1])})
        rows.append((row_name(*row), *cells, sample(dataset, pictures)))
    said = f"{title(dataset)}, Type-{type_} ({'upright' if type_ == 1 else 'turned'} pieces), %."
    genetic = found_runs(lines)
    if genetic:
        said += f" Genetic solver: {genetic} (the paper: 10)."
    return Table(
        f"performance-{dataset}-type{type_}",
        f"{said} {remark(dataset)}".strip(),
        ("measure", *(head for head, _, _ in COLUMNS), "sample"),
        tuple(rows),
    )


def found_runs(lines: Iterable[Line]) -> str:
    """Return how many runs a puzzle the genetic solver had, in words; nothing if none."""
    runs: dict[tuple[str, str, str, str], int] = {}
    for line in _of(lines, solver="genetic"):
        key = (line["label"], line["post"], line["picture"], line["dataset"])
        runs[key] = runs.get(key, 0) + 1
    if not runs:
        return ""
    least, most = min(runs.values()), max(runs.values())
    count = str(least) if least == most else f"{least} to {most}"
    return f"{count} run{'' if most == 1 else 's'} a puzzle"


def _cell(
    ours: Spread | None, row: tuple[str, str], metric: str, dataset: str, type_: int
) -> Cell | str:
    if ours is None:
        return NOTHING
    theirs = paper_value(row, metric, dataset, type_)
    text = f"{ours.mean:.1f} ± {ours.deviation:.1f}"
    if theirs is None:
        return text
    return Cell(text, f"{theirs:.1f}", of_points(ours.mean, theirs))


def _plot(lines: list[Line], dataset: str, type_: int) -> Plot:
    pictures = len({line["picture"] for line in lines})
    panels = []
    for head, figure, solver in COLUMNS:
        points = [
            (row_name(*row), ours, paper_value(row, solver or "top1", dataset, type_))
            for row in row_order(lines)
            if (ours := found(lines, row, figure, solver)) is not None
        ]
        if points:
            panels.append((head, points))
    kind = "upright" if type_ == 1 else "turned"
    note = (
        f"{sample(dataset, pictures)}, 28 px, 1 px eroded. Dot: mean; bar: middle half of the "
        "pictures; diamond: the paper."
    )
    name = f"{title(dataset)}, Type-{type_} ({kind} pieces): Top-1 and neighbour accuracy"
    return dots(f"performance-{dataset}-type{type_}", name, note, panels)


_SETS_64 = ("mit", "mcgill", "bgu805")


def pieces64(results: Results) -> Section | None:
    """Return the table of all solvers that ran on 64-px pieces, Type-1 as in the paper."""
    lines = results.of(
        EVALUATION,
        lambda line: (
            (line["piece_size"], line["erode"], line["type"]) == (64, 2, 1)
            and line["dataset"] in _SETS_64
            and line["solver"] != "none"
        ),
    )
    if not lines:
        return None
    sets = [name for name in _SETS_64 if any(line["dataset"] == name for line in lines)]
    panels = [(f"{title(name)}", _points_64(lines, name)) for name in sets]
    note = (
        f"Upright pieces, 2 px eroded; {_samples_64(lines, sets)}. Dot: mean; bar: middle half of "
        "the pictures; diamond: the paper's Edge2Vec with Gallagher's solver."
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
        tables=tuple(_table_64(lines, name) for name in sets),
        plots=(plot,),
        files=files_of(lines),
    )


def _samples_64(lines: list[Line], sets: list[str]) -> str:
    """Return how many pictures each set had."""
    found = {(line["dataset"], line["picture"]) for line in lines}
    counts = {name: sum(dataset == name for dataset, _ in found) for name in sets}
    return ", ".join(f"{title(name)}: {sample(name, count)}" for name, count in counts.items())


def _rows_64(lines: list[Line], dataset: str) -> dict[tuple[str, str, str], list[Line]]:
    rows: dict[tuple[str, str, str], list[Line]] = {}
    for line in lines:
        if line["dataset"] == dataset:
            key = (line["label"], line["post"], line["solver"])
            rows.setdefault(key, []).append(line)
    return rows


def _table_64(lines: list[Line], dataset: str) -> Table:
    rows: list[tuple[Cell | str, ...]] = []
    for name, said in (("bridger", ""), ("edge2vec", " of the paper, Gallagher")):
        theirs = published.pieces64(name, dataset)
        if theirs:
            shown = (theirs["neighbour"], theirs["perfect"], theirs["seconds"])
            rows.append((published.method(name) + said, *shown, "20 pictures"))
    theirs = published.pieces64("edge2vec", dataset) or {}
    for (label, post, solver), some in _rows_64(lines, dataset).items():
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


def _points_64(lines: list[Line], dataset: str) -> list[Point]:
    theirs = published.pieces64("edge2vec", dataset)
    paper = float(theirs["neighbour"]) if theirs else None
    points: list[Point] = []
    for (label, post, solver), some in _rows_64(lines, dataset).items():
        share = spread(some, "neighbour")
        if share is not None:
            points.append((f"{row_name(label, post)}, {solver}", share, paper))
    return points

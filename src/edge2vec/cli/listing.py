"""edge2vec measures, edge2vec solvers: what there is, one line each."""


def measures_command() -> None:
    """List the compatibility measures."""
    from edge2vec.measures import summaries

    for name, summary in summaries().items():
        print(f"{name:<16} {summary}")


def solvers_command() -> None:
    """List the solvers."""
    from edge2vec.solvers import SOLVERS

    for solver in SOLVERS.values():
        print(f"{solver.name:<10} {solver.summary}; post-processing: {solver.stage}")
        print(f"{'':<10} options: {_options(solver.options)}")
    print(f"{'none':<10} no solver: 'evaluate' then gives the Top-1 of the scores alone")


def _options(options: object) -> str:
    """Return the fields of a dataclass with their values, as `--solver-option` takes them."""
    words = {"None": "none", "True": "yes", "False": "no"}
    texts = {name: str(value) for name, value in vars(options).items()}
    return ", ".join(f"{name}={words.get(text, text)}" for name, text in texts.items())

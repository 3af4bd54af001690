"""edge2vec measures, edge2vec solvers: what there is, one line each."""


def measures_command() -> None:
    """List the compatibility measures."""
    from edge2vec.measures import summaries

    for name, summary in summaries().items():
        print(f"{name:<10} {summary}")


def solvers_command() -> None:
    """List the solvers."""
    from edge2vec.solvers import SOLVERS

    for solver in SOLVERS.values():
        print(f"{solver.name:<10} {solver.summary}; post-processing: {solver.post}")
    print(f"{'none':<10} no solver: 'evaluate' then gives the Top-1 of the scores alone")

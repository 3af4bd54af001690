"""The genetic algorithm of Sholomon, David and Netanyahu (2013, 2014), from its description.

A population of boards; the better of them are drawn more often as parents; a child keeps the
joints that its parents agree on and finds new ones where they do not (`kernel`).
"""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from edge2vec.base.compiled import compiled, in_threads
from edge2vec.base.errors import Edge2VecError
from edge2vec.base.types import EMPTY, DoubleArray, IntArray, Step
from edge2vec.solvers.blocks import shapes
from edge2vec.solvers.genetic.kernel import (
    FATHER,
    MOTHER,
    Kernel,
    KernelInput,
    grow,
    seed_random,
)
from edge2vec.solvers.genetic.population import (
    Population,
    Renumbered,
    kernel_input,
    mean_score,
    read_partners,
    write_board,
)
from edge2vec.solvers.problem import Problem
from edge2vec.solvers.solver import Solving
from edge2vec.solvers.tree import solved_without_search

__all__ = ["GeneticOptions", "solve"]

# The parents of the first generation: their children grow by scores alone.
NOBODY = -1
_MOST_BOARDS = 1_000_000


@dataclass(frozen=True)
class GeneticOptions:
    """How a population lives; the defaults are the published values.

    generations: None is 100 for upright pieces and 30 for turned ones.
    elitism: how many of the best boards live on unchanged.
    mutation: the share of children in which, once, a random piece goes where an agreed or the most
        compatible one would. Read as a share of the placements, 5 % would spoil some twenty pieces
        of every child: an easy puzzle then stops at 87 % instead of 100.
    """

    population: int = 1000
    generations: int | None = None
    elitism: int = 4
    mutation: float = 0.05

    def __post_init__(self) -> None:
        """Refuse what no population can live with."""
        few = 2 <= self.population <= _MOST_BOARDS
        if not few or not 0 <= self.elitism < self.population:
            raise Edge2VecError(
                f"population {self.population}, elitism {self.elitism}; "
                f"expected 2 to {_MOST_BOARDS} boards, and fewer kept than there are"
            )
        if self.generations is not None and self.generations < 1:
            raise Edge2VecError(f"generations {self.generations}; expected at least 1")
        if not 0 <= self.mutation <= 1:
            raise Edge2VecError(f"mutation {self.mutation}; expected a share from 0 to 1")


PUBLISHED = GeneticOptions()


def solve(
    problem: Problem, rng: np.random.Generator, *, options: GeneticOptions = PUBLISHED
) -> Solving:
    """Yield a step a generation and return the best board of the last one.

    For a solver with other options: `find_solver("genetic", population=200)`.
    """
    compat, grid = problem.scores, problem.grid
    frames = shapes(compat.pieces, grid, compat.type)
    sure = solved_without_search(problem)
    if sure is not None:
        yield Step("joining blocks", 1, 1)
        return sure
    order = Renumbered.of(compat)
    given = kernel_input(compat, order, frames)
    total = options.generations or (30 if compat.type == 2 else 100)
    cells = max(frame.cells for frame in frames)
    now, new = (Population.of(options.population, cells) for _ in range(2))
    parents = np.full((options.population, 2), NOBODY, dtype=np.int32)
    for done in range(total):
        kept = 0
        if done > 0:
            kept = options.elitism
            now.keep_best(kept, new)
            parents = _roulette(now.costs, rng)
        brood = Brood(parents, options.mutation, int(rng.integers(2**62)), kept)
        in_threads(partial(_breed, given, now, new, brood), options.population - kept)
        now, new = new, now
        board = order.board(now.best(), grid)
        yield Step("breeding boards", done + 1, total, board)
    return board


def _roulette(costs: DoubleArray, rng: np.random.Generator) -> IntArray:
    """Return two parents a child, [P, 2], drawn in proportion to their lead over the worst."""
    lead = costs.max() - costs
    # In a population of equals everybody has the same chance.
    chance = lead / lead.sum() if lead.sum() > 0 else None
    return rng.choice(len(costs), (len(costs), 2), p=chance).astype(np.int32)


class Brood(NamedTuple):
    """Children to be grown.

    parents: [P, 2], the boards each child comes from; mutation: how likely each child mutates.
    seed: for their random numbers. kept: how many boards of the next generation are no children.
    """

    parents: IntArray
    mutation: float
    seed: int
    kept: int


def _breed(given: KernelInput, old: Population, new: Population, brood: Brood, part: slice) -> None:
    """Grow some of the children, as one thread does."""
    start, stop = brood.kept + part.start, brood.kept + part.stop
    _grow_each(Kernel.of(given), given, old, new, brood, start, stop)


@compiled
def _grow_each(
    kernel: Kernel,
    given: KernelInput,
    old: Population,
    new: Population,
    brood: Brood,
    start: int,
    stop: int,
) -> None:
    """Grow the children start to stop, each from its two parents and its own random numbers."""
    edges, parents = len(given.buddies), brood.parents
    mother, father = kernel.work[MOTHER, :edges], kernel.work[FATHER, :edges]
    for child in range(start, stop):
        seed_random(kernel.random, brood.seed, child)
        if parents[child, 0] == NOBODY:
            mother[:] = EMPTY
            father[:] = EMPTY
        else:
            read_partners(old.codes[parents[child, 0]], old.sizes[parents[child, 0]], mother)
            read_partners(old.codes[parents[child, 1]], old.sizes[parents[child, 1]], father)
        grow(kernel, given, brood.mutation)
        write_board(kernel, new.codes[child], new.sizes[child])
        read_partners(new.codes[child], new.sizes[child], mother)
        new.costs[child] = mean_score(given, mother)

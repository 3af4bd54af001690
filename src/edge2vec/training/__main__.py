"""`python -m edge2vec.training FOLDER... out=RUN minutes=5 gamma=0.5`, also under torchrun.

For machines that have torch and not what the commands of edge2vec need besides. Words without `=`
are folders of pictures, the others the options of `edge2vec train` and the keys of its preset.
"""

import sys
from collections.abc import Sequence

from edge2vec.base.errors import Edge2VecError
from edge2vec.training.events import to_text
from edge2vec.training.request import Request


def main(words: Sequence[str]) -> int:
    """Train and return the exit code: 2 for a mistake in what was asked for."""
    try:
        for event in Request.of(words).events(["edge2vec.training", *words]):
            print(to_text(event), flush=True)
    except Edge2VecError as error:
        print(f"edge2vec: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

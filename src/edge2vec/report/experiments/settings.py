"""The ablations: what is changed against one base, and which runs that takes."""

import hashlib
from dataclasses import dataclass

PRESET = "best"
# The paper's batch: 1024 triplets, half of them from few pictures, and its lambda.
BASE = (
    "kind=edge2vec",
    "dimension=320",
    "groups=16",
    "intra_pictures=2",
    "intra_pairs=256",
    "inter_pairs=512",
    "negatives=1",
    "regularisation=1",
)
_TWINS = ("dimension=40", "groups=1", "loss=triplet", "symmetric=false", "regularisation=0")


@dataclass(frozen=True)
class Setting:
    """One value of one study.

    changes: `key=value` settings on top of the base.
    curve: whether it is validated on the way, too.
    """

    study: str
    value: str
    changes: tuple[str, ...] = ()
    curve: bool = False

    @property
    def settings(self) -> tuple[str, ...]:
        """Return all settings, each key once, in the order of the keys."""
        values = dict(one.split("=", 1) for one in (*BASE, *self.changes))
        return tuple(f"{key}={values[key]}" for key in sorted(values))

    @property
    def run(self) -> str:
        """Return the name of the run; settings that are the same share one."""
        text = " ".join((*self.settings, str(self.curve)))
        return hashlib.sha256(text.encode()).hexdigest()[:10]


def _batch(pairs: int) -> tuple[str, ...]:
    """Return a batch of so many pairs, half of them from two pictures."""
    return (f"intra_pairs={pairs // 4}", f"inter_pairs={pairs // 2}")


SETTINGS = (
    *(Setting("groups", str(one), (f"groups={one}",)) for one in (1, 2, 4, 8, 16)),
    # 40 numbers do not divide into 16 groups.
    *(
        Setting("dimension", str(one), (f"dimension={one}", "groups=8"))
        for one in (40, 80, 160, 320)
    ),
    *(Setting("batch", str(one), _batch(one)) for one in (64, 128, 256, 512, 1024)),
    Setting("sampling", "inter", ("intra_pictures=0", "inter_pairs=1024")),
    Setting("sampling", "1:1"),
    Setting("sampling", "intra", ("intra_pictures=4", "inter_pairs=0")),
    *(Setting("lambda", one, (f"regularisation={one}",)) for one in ("0", "0.1", "0.3", "1")),
    Setting("loss", "triplet", ("loss=triplet", "symmetric=false")),
    Setting("loss", "hbt"),
    Setting("towers", "twins (TEN)", ("kind=ten", *_TWINS), curve=True),
    Setting("towers", "one network", _TWINS, curve=True),
)

# Runs whose weights other experiments need, by the names those give them.
KEPT = {
    ("lambda", "0"): "lambda-0",
    ("lambda", "1"): "lambda-1",
    ("loss", "triplet"): "triplet",
    ("loss", "hbt"): "hbt",
}

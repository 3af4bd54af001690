from dataclasses import fields
from pathlib import Path

import pytest

from edge2vec.base.errors import TrainingError, UnknownNameError
from edge2vec.training.config import TrainingConfig, presets


def test_presets() -> None:
    assert presets() == ["best", "e2e", "further", "paper", "rerank", "ten", "ten-l", "worn"]
    for name in presets():
        config = TrainingConfig.from_preset(name)
        assert TrainingConfig.from_values(config.to_values()) == config


def test_the_paper_preset_is_the_paper() -> None:
    config = TrainingConfig.from_preset("paper")
    assert (config.pairs, config.negatives, config.epoch_steps) == (1024, 1, 5000)
    assert (config.optimizer, config.learning_rate) == ("adam", 1e-4)
    assert (config.schedule, config.patience, config.plateau_factor) == ("plateau", 5, 0.9)
    assert (config.network.dimension, config.network.groups) == (320, 16)
    assert (config.gamma, config.regularisation, config.batch_norm) == (1, 1, False)
    assert config.intra_pictures * config.intra_pairs == config.inter_pairs


def test_unknown_preset_lists_the_choices() -> None:
    choices = "choices: best, e2e, further, paper, rerank, ten, ten-l"
    with pytest.raises(UnknownNameError, match=choices):
        TrainingConfig.from_preset("bets")


def test_overrides() -> None:
    config = TrainingConfig().with_overrides(
        ["gamma=0.5", "erode=0,2", "scales=1, 0.75", "mirror=no", "loss=infonce", "seed=3"]
    )
    assert (config.gamma, config.erode, config.scales) == (0.5, (0, 2), (1.0, 0.75))
    assert (config.mirror, config.loss, config.seed) == (False, "infonce", 3)
    assert config.with_overrides(["shares="]).shares == ()


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("gamma", "expected NAME=VALUE"),
        ("gamma=much", "gamma=much; expected a number"),
        ("intra_pairs=1.5", "intra_pairs=1.5; expected a whole number"),
        ("mirror=maybe", "mirror=maybe; expected yes or no"),
        ("erode=1", "expected the least and the greatest width"),
        ("betas=0.9", "expected two numbers"),
        ("decay=0.99", "expected at most 1 together"),
        ("scales=2", "over 0 up to 1"),
        ("loss=triplet", "expected at least 1 a pair"),
        ("loss=binary", "e2e, and only it"),
        ("loss=list", "pair, and only it, takes list or joint"),
        ("ema=1.5", "at most 1"),
        ("learning_rate=1e38", r"learning_rate 1e\+38; expected at least 1e-12 and at most 1e\+30"),
        ("muon_rate=inf", "muon_rate inf"),
        ("log_every=0", "expected at least 1"),
    ],
)
def test_refuses(setting: str, words: str) -> None:
    with pytest.raises(TrainingError, match=words):
        TrainingConfig().with_overrides([setting])


def test_joints_come_each_from_a_picture_of_its_own() -> None:
    with pytest.raises(TrainingError, match="intra_pictures 2 for 'pair'; expected 0"):
        TrainingConfig.from_preset("rerank").with_overrides(["intra_pictures=2"])


def test_unknown_key_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'gamma'\\? choices: alike"):
        TrainingConfig().with_overrides(["gama=1"])


def test_refuses_values_of_other_types() -> None:
    for values in ({"seed": 1.5}, {"seed": True}, {"mirror": 1}, {"widths": 3}):
        with pytest.raises(TrainingError, match="expected"):
            TrainingConfig.from_values(values)


def test_every_key_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "training.md").read_text("utf-8")
    missing = [field.name for field in fields(TrainingConfig) if f"`{field.name}`" not in text]
    assert not missing

"""AdamW, Adam, and Muon for the convolutions with AdamW for the rest.

Learning rates are tensors on a GPU, so that a captured step sees the schedule.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from edge2vec.base.errors import UnknownNameError
from edge2vec.networks.torch.trunk import Network
from edge2vec.training.config import TrainingConfig
from edge2vec.training.muon import Muon

OPTIMIZERS = ("adam", "adamw", "muon")


class Optimizers:
    """One or two optimizers that share the schedule."""

    def __init__(self, config: TrainingConfig, network: Network) -> None:
        """Share the parameters out between Muon and Adam."""
        if config.optimizer not in OPTIMIZERS:
            raise UnknownNameError("optimizer", config.optimizer, OPTIMIZERS)
        matrices = muon_parameters(network, config) if config.optimizer == "muon" else []
        taken = {id(parameter) for group in matrices for parameter in group}
        rest = [parameter for parameter in network.parameters() if id(parameter) not in taken]
        self.parts: list[torch.optim.Optimizer] = [_adam(config, rest)]
        self.rates = [config.learning_rate]
        if matrices:
            self.parts.append(Muon(matrices, lr=config.muon_rate, momentum=config.muon_momentum))
            self.rates.append(config.muon_rate)
        for part in self.parts:
            _rates_to_device(part)

    def set_factor(self, factor: float) -> None:
        """Multiply the learning rates of the configuration by the schedule's factor."""
        for part, rate in zip(self.parts, self.rates, strict=True):
            for group in part.param_groups:
                if isinstance(group["lr"], Tensor):
                    group["lr"].fill_(rate * factor)
                else:
                    group["lr"] = rate * factor

    def step(self) -> None:
        """Move all parameters by their gradients."""
        for part in self.parts:
            part.step()

    def state(self) -> list[dict[str, Any]]:
        """Return all that a resumed run needs."""
        return [part.state_dict() for part in self.parts]

    def load_state(self, states: Iterable[dict[str, Any]]) -> None:
        """Take up where `state` was taken."""
        for part, state in zip(self.parts, states, strict=True):
            part.load_state_dict(state)
            _rates_to_device(part)


def muon_parameters(network: Network, config: TrainingConfig) -> list[list[nn.Parameter]]:
    """Return the weights Muon moves, in groups that are worth one batched product each."""
    groups = [[unit.weight for unit in network.conv_units() if unit.plan.inputs != 3]]
    if config.muon_last:
        groups.append([projection.weight for projection in network.projections()])
    return groups


def _adam(config: TrainingConfig, parameters: list[nn.Parameter]) -> torch.optim.Optimizer:
    """Return Adam, whose weight decay is part of the gradient, or AdamW, whose is not."""
    on_gpu = parameters[0].is_cuda
    kind = torch.optim.Adam if config.optimizer == "adam" else torch.optim.AdamW
    return kind(
        parameters,
        lr=config.learning_rate,
        betas=(config.betas[0], config.betas[1]),
        weight_decay=config.weight_decay,
        capturable=on_gpu,
        fused=on_gpu,
    )


def _rates_to_device(optimizer: torch.optim.Optimizer) -> None:
    """Make the learning rates device tensors on a GPU, and plain numbers elsewhere."""
    for group in optimizer.param_groups:
        device = group["params"][0].device
        if device.type == "cuda":
            group["lr"] = torch.as_tensor(float(group["lr"]), dtype=torch.float32).to(device)
        else:
            group["lr"] = float(group["lr"])

"""What every training run shares: the schedule by time, averaged weights, checkpoints."""

from __future__ import annotations

import copy
import json
import math
import time
from dataclasses import asdict
from pathlib import Path

import torch
from torch import nn
from torch.optim import swa_utils

from vision.training.pictures.taught import NEXT
from vision.training.work import WORK, commit_id, facts_of

__all__ = [
    "WORK",
    "Average",
    "Clock",
    "card",
    "commit_id",
    "device",
    "facts_of",
    "halves",
    "keep",
    "resume",
    "save",
]


def card() -> torch.device:
    """A graphics card where there is one, else the processor."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def device() -> torch.device:
    """Where a training runs (:func:`card`); new tensors go there too."""
    found = card()
    torch.set_default_device(found)
    return found


def halves(where: torch.device) -> torch.autocast:
    """Numbers of 16 bits where they are counted with: elsewhere they cost ten times more."""
    able = where.type != "cpu" or torch.backends.cpu.get_cpu_capability() == "AVX512"
    return torch.autocast(where.type, torch.bfloat16, enabled=able)


class Clock:
    """Learning rate over a budget of minutes: a short rise, then a cosine to nothing.

    A budget in time rather than in steps makes a run end when it is needed whatever else the
    machine does; the number of steps made stands in the checkpoint.
    """

    def __init__(self, minutes: float, peak: float, warm: float = 0.04) -> None:
        self.budget, self.peak, self.warm = minutes * 60, peak, warm
        self.start = time.monotonic()

    @property
    def share(self) -> float:
        """Share of the budget that is used, 0..1."""
        return min(1.0, (time.monotonic() - self.start) / self.budget)

    def rate(self) -> float:
        """The learning rate now."""
        s = self.share
        if s < self.warm:
            return self.peak * max(0.02, s / self.warm)
        return (
            self.peak * (0.5 + 0.5 * math.cos(math.pi * (s - self.warm) / (1 - self.warm))) + 1e-6
        )


class Average:
    """Exponential average of a net's weights: what is exported."""

    def __init__(self, net: nn.Module, decay: float = 0.998) -> None:
        self.net, self.decay, self.steps = copy.deepcopy(net).eval(), decay, 0

    def update(self, net: nn.Module) -> None:
        """Take in the net after a step."""
        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        rows = list(zip(self.net.state_dict().values(), net.state_dict().values(), strict=True))
        real = [(mine, its) for mine, its in rows if mine.dtype.is_floating_point]
        with torch.no_grad():
            swa_utils.get_ema_multi_avg_fn(decay)(*map(list, zip(*real, strict=True)), self.steps)
            for mine, its in rows:
                if not mine.dtype.is_floating_point:
                    mine.copy_(its)


def save(path: Path, average: Average, *, last: bool, **facts: object) -> None:
    """Write the averaged weights and the facts of the run beside each other.

    Until the run ends they are called ``NAME.part.pt``: what an interruption leaves is not taken
    for a trained net.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part.pt")
    torch.save({name: value.cpu() for name, value in average.net.state_dict().items()}, part)
    facts = {"steps": average.steps, "commit": commit_id(), "taught": asdict(NEXT), **facts}
    part.with_suffix(".json").write_text(json.dumps(facts, indent=1))
    if last:
        part.with_suffix(".json").replace(path.with_suffix(".json"))
        part.replace(path)


def keep(
    path: Path,
    net: nn.Module,
    average: Average,
    best: torch.optim.Optimizer,
    clock: Clock,
    run: dict[str, object],
) -> None:
    """Write all that a run needs to go on after an interruption, perhaps with better data."""
    parts = {
        "run": run,
        "net": net.state_dict(),
        "average": average.net.state_dict(),
        "steps": average.steps,
        "optimizer": best.state_dict(),
        "used": clock.share * clock.budget,
    }
    torch.save(parts, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def resume(
    path: Path,
    net: nn.Module,
    average: Average,
    best: torch.optim.Optimizer,
    clock: Clock,
    run: dict[str, object],
) -> None:
    """Go on where ``keep`` stopped; the time used before counts for the rate's schedule.

    What a run of another seed or length left is not gone on with.
    """
    parts = torch.load(path)
    if parts.get("run") != run:
        print(f"{path} is of {parts.get('run')}, not of {run}: begun anew", flush=True)
        return
    net.load_state_dict(parts["net"])
    average.net.load_state_dict(parts["average"])
    average.steps = parts["steps"]
    best.load_state_dict(parts["optimizer"])
    clock.start -= parts["used"]

"""The nets.

Dense 3x3 convolutions: on processors with wide vectors they cost less time for the same
capacity than depthwise ones (docs/decisions/0160).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def conv(i: int, o: int, k: int = 3, s: int = 1) -> nn.Sequential:
    """Convolution, normalisation, ReLU."""
    return nn.Sequential(
        nn.Conv2d(i, o, k, s, k // 2, bias=False), nn.BatchNorm2d(o), nn.ReLU(True)
    )


class Residual(nn.Module):
    """Two convolutions beside the identity."""

    def __init__(self, c: int, inner: int | None = None) -> None:
        super().__init__()
        inner = inner or c
        self.a = conv(c, inner)
        self.b = nn.Sequential(nn.Conv2d(inner, c, 3, 1, 1, bias=False), nn.BatchNorm2d(c))

    def forward(self, x: Tensor) -> Tensor:
        """(N, c, H, W) to the same shape."""
        return torch.relu(x + self.b(self.a(x)))


class ReaderNet(nn.Module):
    """Upright or upside-down crop (N, 3, 64, 48), 0..255 BGR, to kind logits and a turn logit."""

    def __init__(self, labels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(3, 24, 3, 2),
            conv(24, 40, 3, 2),
            Residual(40),
            conv(40, 80, 3, 2),
            Residual(80),
            conv(80, 128, 3, 2),
            Residual(128, 96),
        )
        self.drop = nn.Dropout(0.15)
        self.kind = nn.Sequential(
            nn.Conv2d(128, 192, (4, 3), bias=False), nn.BatchNorm2d(192), nn.ReLU(True)
        )
        self.head = nn.Linear(192, labels + 1)

    def forward(self, x: Tensor) -> Tensor:
        """Logits (N, labels + 1); the last is that the face is upside down."""
        return self.head(self.drop(self.features(x)))

    def features(self, x: Tensor) -> Tensor:
        """What the kinds are told from (N, 192): alike for tiles of one face."""
        return self.kind(self.body(x * (1 / 64) - 2)).flatten(1)


class FinderNet(nn.Module):
    """Picture (N, 3, H, W), 0..255 BGR, sides multiples of 16, to maps.

    ``maps`` (N, 12, H/4, W/4): probabilities of a tile's centre by posture (3), offset of the
    centre in cells (2), log of the long and the short side over 20 px (2), cosine and sine of
    twice the long side's and of twice the short side's direction (4), share visible (1).
    ``arms`` (N, 1, H/8, W/8): probability that an arm covers the cell.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(conv(3, 16, 3, 2), conv(16, 32, 3, 2), Residual(32))
        self.mid = nn.Sequential(conv(32, 64, 3, 2), Residual(64), Residual(64))
        self.deep = nn.Sequential(conv(64, 96, 3, 2), Residual(96), Residual(96))
        self.from_deep = nn.Sequential(nn.Conv2d(96, 64, 1, bias=False), nn.BatchNorm2d(64))
        self.join_mid = conv(64, 64)
        self.from_mid = nn.Sequential(nn.Conv2d(64, 32, 1, bias=False), nn.BatchNorm2d(32))
        self.join = conv(32, 48)
        self.arms = nn.Conv2d(64, 1, 1)
        self.head = nn.Conv2d(48, 12, 1)
        nn.init.constant_(self.head.bias[:3], -4.0)

    def logits(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The maps before the sigmoids."""
        x = x * (1 / 64) - 2
        fine = self.stem(x)
        mid = self.mid(fine)
        deep = self.deep(mid)
        up = nn.functional.interpolate(self.from_deep(deep), scale_factor=2, mode="nearest")
        mid = self.join_mid(torch.relu(mid + up))
        up = nn.functional.interpolate(self.from_mid(mid), scale_factor=2, mode="nearest")
        return self.head(self.join(torch.relu(fine + up))), self.arms(mid)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The maps as they are used."""
        maps, arms = self.logits(x)
        maps = torch.cat([maps[:, :3].sigmoid(), maps[:, 3:11], maps[:, 11:].sigmoid()], 1)
        return maps, arms.sigmoid()


class DiceNet(nn.Module):
    """Picture (N, 3, H, W), 0..255 BGR, sides multiples of 8, to maps (N, 5, H/4, W/4).

    Probability of a die's centre, offset of the centre in cells (2), log of width and height
    of its box over 20 px (2).
    """

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            conv(3, 24, 3, 2), Residual(24, 16), conv(24, 40, 3, 2), Residual(40), Residual(40)
        )
        self.mid = nn.Sequential(conv(40, 64, 3, 2), Residual(64), Residual(64))
        self.from_mid = nn.Sequential(nn.Conv2d(64, 40, 1, bias=False), nn.BatchNorm2d(40))
        self.join = conv(40, 56)
        self.head = nn.Conv2d(56, 5, 1)
        nn.init.constant_(self.head.bias[:1], -4.0)

    def logits(self, x: Tensor) -> Tensor:
        """The maps before the sigmoid."""
        fine = self.stem(x * (1 / 64) - 2)
        up = nn.functional.interpolate(
            self.from_mid(self.mid(fine)), scale_factor=2, mode="nearest"
        )
        return self.head(self.join(torch.relu(fine + up)))

    def forward(self, x: Tensor) -> Tensor:
        """The maps as they are used."""
        maps = self.logits(x)
        return torch.cat([maps[:, :1].sigmoid(), maps[:, 1:]], 1)


class PipsNet(nn.Module):
    """Crop of a die (N, 3, 40, 40), 0..255 BGR, to logits: value 1..6, no value, no die."""

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        a, b, c, d = width, 2 * width, 3 * width, 4 * width
        self.body = nn.Sequential(
            conv(3, a, 5, 2),
            Residual(a),
            conv(a, b, 3, 2),
            Residual(b),
            conv(b, c, 3, 2),
            Residual(c),
            conv(c, d, 3, 2),
            nn.Conv2d(d, d, 3, bias=False),
            nn.BatchNorm2d(d),
            nn.ReLU(True),
            nn.Flatten(),
            nn.Dropout(0.15),
            nn.Linear(d, 8),
        )

    @classmethod
    def of(cls, weights: dict[str, Tensor]) -> PipsNet:
        """The net that these weights are of, with them."""
        net = cls(len(weights["body.0.0.weight"]))
        net.load_state_dict(weights)
        return net

    def forward(self, x: Tensor) -> Tensor:
        """Logits (N, 8)."""
        return self.body(x * (1 / 64) - 2)

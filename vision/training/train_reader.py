"""``python -m vision.training.train_reader``: train the face reader."""

from __future__ import annotations

import argparse

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader

from vision.training import common
from vision.training.nets import ReaderNet
from vision.training.pictures import face_data, fonts
from vision.training.pictures.sources import FLOWERS, LABELS

FLOWER_INDICES = [LABELS.index(f) for f in FLOWERS]


def loss_of(logits: Tensor, target: Tensor, turn: Tensor) -> Tensor:
    """Cross entropy of the kind (any flower for an untold one) and of the turn where taught."""
    kind = F.log_softmax(logits[:, :-1], 1)
    told = target < len(LABELS)
    loss = F.nll_loss(kind[told], target[told], reduction="sum")
    smooth = -kind[told].mean(1).sum()
    loss = 0.96 * loss + 0.04 * smooth
    if (~told).any():
        loss = loss - torch.logsumexp(kind[~told][:, FLOWER_INDICES], 1).sum()
    taught = turn >= 0
    side = F.binary_cross_entropy_with_logits(logits[taught, -1], turn[taught].float())
    return loss / len(logits) + 0.3 * side


def bank(part: str) -> face_data.Bank:
    """The faces to train on, or of the designs and the home kept apart."""
    faces = face_data.Bank()
    face_data.photographed(faces, part)
    if part == "train":
        face_data.from_photos(faces, ("homes-box", "homes-felt", "autotable"))
        face_data.from_dice(faces)
        face_data.table_designs(faces)
    elif part == "test":
        face_data.from_photos(faces, ("homes-hand",))
    return faces


@torch.no_grad()
def quick_score(net: torch.nn.Module, faces: face_data.Bank) -> dict[str, float]:
    """Share of right kinds by design on the plain pictures."""
    from vision.training.evaluate import plain_crops

    scores = {}
    rows_of = dict(faces.designs)
    for source, table in faces.patches.items():
        middle = np.s_[face_data.H // 2 : -face_data.H // 2, face_data.W // 2 : -face_data.W // 2]
        rows_of[source] = [
            (np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)[middle], label)
            for label, patches in table.items()
            for code, _ in patches
        ]
    for design, rows in rows_of.items():
        crops, labels = plain_crops(rows)
        if not labels:
            continue
        found = torch.cat(
            [net(c)[:, :-1].argmax(1) for c in torch.split(torch.from_numpy(crops).float(), 512)]
        )
        right = [LABELS[i] == t for i, t in zip(found.tolist(), labels, strict=True)]
        scores[design] = round(sum(right) / len(right), 4)
    return scores


def main() -> None:
    """Train for a budget of minutes and leave ``reader.pt`` in the work folder."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--minutes", type=float, default=40)
    ask.add_argument("--batch", type=int, default=192)
    ask.add_argument("--rate", type=float, default=2.5e-3)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--threads", type=int, default=1)
    ask.add_argument("--start", default="", help="weights to go on from")
    ask.add_argument("--name", default="reader")
    args = ask.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    faces = bank("train")
    valid = bank("test")
    odds = {"face": 0.3, "photo": 0.28, "drawn": 0.24, "table": 0.08, "frame": 0.1}
    mixed = face_data.Faces(faces, odds, args.seed, 80)
    stream = iter(DataLoader(mixed, args.batch, num_workers=1, prefetch_factor=4))
    net = ReaderNet(len(LABELS)).to(memory_format=torch.channels_last)
    if args.start:
        net.load_state_dict(torch.load(args.start))
    average = common.Average(net)
    best = torch.optim.AdamW(net.parameters(), weight_decay=0.02)
    clock = common.Clock(args.minutes, args.rate)
    net.train()
    step, shown, total = 0, 0.0, 0.0
    while clock.share < 1:
        for group in best.param_groups:
            group["lr"] = clock.rate()
        crops, target, turn = next(stream)
        crops = crops.float().contiguous(memory_format=torch.channels_last)
        with common.halves(torch.device("cpu")):
            logits = net(crops)
        loss = loss_of(logits.float(), target, turn)
        best.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        best.step()
        average.update(net)
        step, total = step + 1, total + loss.item()
        if clock.share - shown > 0.04 or clock.share >= 1:
            scores = quick_score(average.net, valid)
            print(
                f"{clock.share:.2f} step {step} loss {total / max(1, step):.3f} {scores}",
                flush=True,
            )
            shown, total, step = clock.share, 0.0, 0
            common.save(
                common.WORK / f"{args.name}.pt",
                average,
                seed=args.seed,
                minutes=args.minutes,
                fonts=fonts.names(),
                scores=scores,
            )


if __name__ == "__main__":
    main()

"""``python -m vision.training.train_reader``: train the face reader."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path

import cv2
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from vision.training import common, replay, shipped
from vision.training.nets import ReaderNet
from vision.training.pictures import face_data, sets, taught
from vision.training.pictures.groups import Part
from vision.training.pictures.sources import FLOWERS, LABELS
from vision.training.pictures.taught import Taught

_BATCH, _CARD_BATCH = 192, 768
"""Samples of a step on a processor and on a graphics card."""
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


def bank(part: Part, by: Taught = taught.NEXT) -> face_data.Bank:
    """The faces to train on, or those by which a run is followed; none that judge."""
    faces = face_data.Bank()
    if part is Part.VALID:
        face_data.photographed(faces, by.chose)
        return faces
    face_data.photographed(faces, by.designs)
    face_data.from_photos(faces, taught.teaching(by))
    face_data.from_dice(faces, by.grounds)
    face_data.table_designs(faces)
    return faces


def quick_score(net: torch.nn.Module, faces: face_data.Bank) -> dict[str, float]:
    """Share of right kinds by design on the plain pictures."""
    from vision.training.evaluate import plain_crops

    scores, where = {}, next(net.parameters()).device
    for design, rows in faces.designs.items():
        crops, labels = plain_crops(rows)
        if not labels:
            continue
        parts = torch.from_numpy(crops).float().to(where).split(512)
        with torch.no_grad():
            found = torch.cat([net(part)[:, :-1].argmax(1) for part in parts])
        right = [LABELS[i] == t for i, t in zip(found.tolist(), labels, strict=True)]
        scores[design] = round(sum(right) / len(right), 4)
    return scores


def main() -> None:
    """Train for a budget of minutes and leave ``reader.pt`` in the work folder."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--minutes", type=float, default=40)
    ask.add_argument("--batch", type=int, help="samples of a step: 192, on a card 768")
    ask.add_argument("--rate", type=float, default=2.5e-3)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--threads", type=int, default=1)
    ask.add_argument(
        "--start",
        type=Path,
        help="weights to go on from; a shipped .onnx is taught on by what taught it",
    )
    ask.add_argument("--name", default="reader")
    ask.add_argument("--workers", type=int, help="processes that make samples: 1, on a card more")
    ask.add_argument("--kept", type=int, default=1_000_000, help="samples kept on a graphics card")
    ask.add_argument(
        "--apart", nargs="*", default=[], choices=taught.NEXT.photographs,
        help="families of photographs that do not teach in this run",
    )  # fmt: skip
    args = ask.parse_args()
    # a worker that is forked while threads of OpenCV run waits for ever
    cv2.setNumThreads(1)
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    shipped_from = args.start if args.start and args.start.suffix == ".onnx" else None
    by = taught.of_models(shipped_from.parent, ("reader",)) if shipped_from else taught.NEXT
    by = replace(by, photographs=tuple(f for f in by.photographs if f not in args.apart))
    faces, valid = bank(Part.TRAIN, by), bank(Part.VALID, by)
    odds = {"face": 0.3, "photo": 0.28, "drawn": 0.24, "table": 0.08, "frame": 0.1, "sign": 0.05}
    mixed = face_data.Faces(faces, odds, args.seed, 80)
    device = common.card()
    args.batch = args.batch or (_BATCH if device.type == "cpu" else _CARD_BATCH)
    args.workers = args.workers or replay.workers(device)
    stream = replay.batches(mixed, args.batch, device, args.workers, args.kept)
    net = ReaderNet(len(LABELS)).to(device, memory_format=torch.channels_last)
    facts = {"seed": args.seed, "minutes": args.minutes, "fonts": sets.drawn_with()}
    facts |= {"batch": args.batch, "device": device.type, "taught": asdict(by)}
    if args.start:
        facts["start"] = shipped.begin(
            net, args.start, lambda: torch.cat([next(stream)[0] for _ in range(8)])
        )
    average = common.Average(net)
    best = torch.optim.AdamW(net.parameters(), weight_decay=0.02)
    clock = common.Clock(args.minutes, args.rate)
    net.train()
    step, shown, total, share = 0, 0.0, torch.zeros((), device=device), clock.share
    while share < 1:
        for group in best.param_groups:
            group["lr"] = clock.rate()
        crops, target, turn = next(stream)
        with common.halves(device):
            logits = net(crops.contiguous(memory_format=torch.channels_last))
        loss = loss_of(logits.float(), target, turn)
        best.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        best.step()
        average.update(net)
        step, total = step + 1, total + loss.detach()
        share = clock.share
        if share - shown > 0.04 or share >= 1:
            scores = quick_score(average.net, valid)
            print(
                f"{share:.2f} steps {average.steps} loss {total.item() / step:.3f} {scores}",
                flush=True,
            )
            shown, total, step = share, torch.zeros((), device=device), 0
            path = common.WORK / f"{args.name}.pt"
            common.save(path, average, last=share >= 1, scores=scores, **facts)


if __name__ == "__main__":
    main()

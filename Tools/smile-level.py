#!/usr/bin/env python3
"""Fits the weights of the smile level to recorded landmarks, and scores the detector with each person left out.

usage: smile-level.py [--traces DIR] [--unseen DIR] [--weights]      needs numpy; about ten minutes, seconds with --weights

DIR (../shared/accuracy) holds index.json, points.json and traces/. Prints the rows of Sources/FaceInference/Mesh/SmileLevel.swift
and, without --weights, what is found, false and repeated as the detector is, without each of its rules, and with others: in
DIR and in another folder (../shared/smiles) whose people are no part of the fit.

There are two scores. In the plain one a smile is found if its event falls inside the label, with 0.5 s of slack. The amended
one also counts a smile during half of which the state is on, heeds where the scored part of a clip begins, and leaves out smiles
that are seen for less than 0.2 s. The intervals hold 95 % of 2000 draws of as many persons with replacement. Clips of the set
`talk` are counted by themselves: all their events are false.

The level is the mean of two: one of five measures of the mouth, fitted to portraits and video by ridge regression, and a
ridge logistic regression of all points on the frames of clips with one labelled face, 60 frames of each kind at most from
each clip. Its logit is scaled so that the mean frame without a smile is 0, with one 1. Frames within 0.2 s of an ambiguous
stretch are left out. The detector is that of Sources/FaceTracking/Events/SmileDetector.swift.
"""
import argparse, gzip, json, pathlib, sys
import numpy as np

sys.path.append(str(pathlib.Path(__file__).parent / "benchmark"))
from resample import f1, person, text

PAIRS = [(61, 291), (40, 270), (39, 269), (37, 267), (84, 314), (181, 405), (91, 321), (146, 375), (185, 409), (78, 308),
         (80, 310), (81, 311), (82, 312), (87, 317), (178, 402), (88, 318), (95, 324), (191, 415), (50, 280), (205, 425),
         (206, 426), (117, 346), (145, 374), (144, 373), (153, 380), (159, 386), (129, 358), (98, 327),
         (13, 13), (14, 14), (17, 17)]
FITTED = 28          # The points of the middle only count in the five measures.
STRENGTH = 260.0     # Of the penalty on standardised weights; 30 to 1000 give the same.
# Seconds, level, the lowest corners, the least opening.
SHIPPED = dict(onsets=[(.1, .7, .09, 0), (.8, .6, .05, 0), (2, .6, .12, .2)], arriving=(.5, .8, .6, .09), speech=(.3, .4, .2), talk=.15, window=.1, rise=.5, end=.35, share=.58, merge=.5, rest=.3, trust=60)


def five_measures():
    """The level of five measures as weights of across, height and depth of each pair, and its bias."""
    width, lift, opening, depth, height = 2.283, 6.805, .511, -5.462, -.856
    rows = {pair: np.zeros(3) for pair in PAIRS}
    rows[61, 291] += [2 * width, lift + height, depth]
    rows[13, 13] += [0, opening - lift / 2, -depth / 2]
    rows[14, 14] += [0, -opening - lift / 2, -depth / 2]
    rows[17, 17] += [0, -height, 0]
    return np.concatenate(list(rows.values())), -1.916


def in_face_frame(mesh, slot):
    point = lambda index: mesh[:, slot[index]]
    x = point(263) - point(33) + point(454) - point(234)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    up = point(10) - point(152)
    y = up - x * (up * x).sum(1, keepdims=True)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    axes = np.stack([x, y, np.cross(x, y)], 1)
    from_eyes = mesh - ((point(33) + point(263)) / 2)[:, None]
    return np.einsum("nij,npj->npi", axes, from_eyes) / np.linalg.norm(point(263) - point(33), axis=1)[:, None, None]


def within(time, spans, slack=0.0): return any(a - slack <= time <= b + slack for a, b in spans)


def load(folder):
    labels = json.loads((folder / "index.json").read_text())
    points = json.loads((folder / "points.json").read_text())["points"]
    slot = {point: number for number, point in enumerate(points)}
    for name, label in labels.items():
        if label.get("smiles") is None: continue
        rows = []
        with gzip.open(folder / "traces" / (name.replace("/", "__") + ".jsonl.gz"), "rt") as lines:
            for row in map(json.loads, lines):
                rows += [(row["t"], face["lineage"], face["points"], face["observation"]) for face in row["faces"]]
        if not rows: continue
        time, lineage, mesh, seen = zip(*rows)
        f = in_face_frame(np.array(mesh) * [1, -1, -1], slot)
        at = lambda index: f[:, slot[index]]
        clear, ambiguous = ([s for p in label["smiles"].values() for s in p.get(k, [])] for k in ("clear", "ambiguous"))
        begin, limit = label.get("smile_scored_s") or [0, 1e9]
        visible = np.array([o["eyeDistance"] >= 24 and abs(o["yaw"]) <= 35 for o in seen])
        kind = np.full(len(time), -1)
        if len(label["smiles"]) == 1:
            for n, t in enumerate(time):
                if visible[n] and t <= limit:
                    kind[n] = 1 if within(t, clear) else -1 if within(t, clear + ambiguous, .2) else 0
        yield dict(
            person=person(name), single=len(label["smiles"]) == 1, time=np.array(time), lineage=np.array(lineage), visible=visible,
            kind=kind, begin=begin, limit=limit, talk=label.get("set") == "talk",
            clear=[s for s in clear if s[0] <= limit], ambiguous=ambiguous,
            x=np.concatenate([np.stack([(at(r) - at(l))[:, 0] / 2, *((at(l) + at(r)) / 2)[:, 1:].T], 1) for l, r in PAIRS], 1),
            opening=np.linalg.norm(at(13) - at(14), axis=1), drop=(at(13) - (at(61) + at(291)) / 2)[:, 1])


def fit(clips):
    x, y = [], []
    for clip in clips:
        for kind in (0, 1):
            found = np.flatnonzero(clip["kind"] == kind)
            if len(found) > 60: found = found[np.linspace(0, len(found) - 1, 60).round().astype(int)]
            x.append(clip["x"][found, :3 * FITTED])
            y.append(np.full(len(found), float(kind)))
    x, y = np.concatenate(x), np.concatenate(y)
    weight = np.where(y == 1, (y == 0).sum() / (y == 1).sum(), 1)
    mean, deviation = x.mean(0), x.std(0) + 1e-6
    z = np.c_[(x - mean) / deviation, np.ones(len(x))]
    penalty = np.r_[np.full(3 * FITTED, STRENGTH), 0]
    w = np.zeros(3 * FITTED + 1)
    for _ in range(20):  # Newton's method
        p = 1 / (1 + np.exp(-z @ w))
        step = np.linalg.solve((z.T * (weight * p * (1 - p))) @ z + np.diag(penalty), z.T @ (weight * (y - p)) - penalty * w)
        w += step
    rest, smile = ((z @ w)[y == kind].mean() for kind in (0, 1))
    five, bias = five_measures()
    points = np.r_[w[:-1] / deviation / (smile - rest), np.zeros(len(five) - 3 * FITTED)]
    return (five + points) / 2, (bias + (w[-1] - (mean / deviation) @ w[:-1] - rest) / (smile - rest)) / 2


def turns(time, value, least, seconds):
    """How often a signal turned within the last seconds, by the changes between two turns that are large enough."""
    extreme, rising, when, count = value[0], False, [], np.zeros(len(time))
    for k, now in enumerate(time):
        if k and not 0 <= now - time[k - 1] <= .15: extreme, when = value[k], []
        if value[k] > extreme if rising else value[k] < extreme: extreme = value[k]
        elif abs(value[k] - extreme) >= least:
            extreme, rising = value[k], not rising
            when.append(now)
        when = [t for t in when if t > now - seconds]
        count[k] = len(when)
    return count


def detect(time, level, opening, drop, visible, p):
    """Of one face: when smiles begin, when they end, and in which frames the state is on."""
    begins, ends, on, resting, net, speed = [], [], np.zeros(len(time), bool), [], np.zeros(len(time)), np.zeros(len(time))
    start, smile, weak = 0, None, None
    mean_level = [level[np.searchsorted(time, now - p["window"] - 1e-6):k + 1].mean() for k, now in enumerate(time)]
    speech = turns(time, opening, .03, 2) >= 2.5 * np.clip(time - time[0], 1, 2)
    restless = speech & (turns(time, mean_level, .5, 4) >= 4)
    for k, now in enumerate(time):
        gap = now - time[k - 1] if k else 0
        if not 0 <= gap <= .15: start = k
        if k: speed[k] = abs(opening[k] - opening[k - 1]) / max(gap, 1e-3)
        usual = np.quantile(resting[-300:], .2) if resting else 0
        net[k] = level[k] - p["rest"] * usual * min(1, len(resting) / p["trust"])
        on[k] = smile is not None
        if not visible[k]:
            start = k + 1
            continue
        since = lambda seconds: np.searchsorted(time[:k + 1], now - seconds - 1e-6)
        def held(seconds):
            first = max(start, since(seconds))
            return slice(first, k + 1) if first > start or now - time[start] >= seconds - 1e-6 else None
        if smile is None:
            resting.append(level[k])
            talk, has_begun = p["talk"] * speed[since(.4):k + 1].mean(), False
            if level[k] - usual * min(1, len(resting) / 15) > p["rise"]:
                in_speech, when_restless, more = p["speech"] or (0, 0, 0)
                least_seconds = when_restless if restless[k] else in_speech if speech[k] else 0
                for seconds, least, most_drop, least_opening in p["onsets"]:
                    part = held(max(seconds, least_seconds))
                    limit = least + talk + more * restless[k]
                    if part and net[part].mean() > limit and drop[part].mean() < most_drop and opening[part].mean() >= least_opening:
                        has_begun = True
            if p["arriving"] and usual > p["arriving"][0]:
                _, seconds, least, most_drop = p["arriving"]
                part = held(seconds)
                if part and level[part].mean() > least + talk and drop[part].mean() < most_drop: has_begun = True
            if has_begun:
                smile, weak = net[max(start, since(p["window"])):k + 1].mean(), None
                begins.append(now)
        elif part := held(p["window"]):
            mean = net[part].mean()
            smile = max(smile, mean)
            weak = (now if weak is None else weak) if mean < p["share"] * smile else None
            if mean < p["end"] or (weak is not None and now - weak >= p["merge"] - 1e-6):
                smile, start = None, k + 1
                ends.append(now)
        on[k] = smile is not None
    return begins, ends, on


def is_on_in(clip, on, span):
    """In which share of the frames of a smile in which a face is seen its state is on; none if that is less than 0.2 s."""
    inside = clip["visible"] & (clip["time"] >= span[0]) & (clip["time"] <= span[1])
    frames = np.unique(clip["time"][inside])
    if len(frames) * np.median(np.diff(np.unique(clip["time"]))) < .2: return None
    return len(np.unique(clip["time"][inside & on])) / len(frames)


def score(clips, levels, p):
    rows, talk, states, errors = [], 0, np.zeros((2, 2)), []
    for clip, level in zip(clips, levels):
        events, spans, on, repeats = [], [], np.zeros(len(level), bool), 0
        for lineage in np.unique(clip["lineage"]):
            i = clip["lineage"] == lineage
            begins, ends, on[i] = detect(clip["time"][i], level[i], clip["opening"][i], clip["drop"][i], clip["visible"][i], p)
            # Before its enter, 0.1 s after it came, nobody knows of a face.
            begins = [t for t in begins if t <= clip["limit"] and t - clip["time"][i][0] >= .1 - 1e-6]
            spans += [(t, min((e for e in ends if e > t), default=np.inf)) for t in begins]
            events += begins
            hits = sum(within(t, clip["clear"], .5) for t in begins)
            repeats += max(0, hits - sum(any(within(t, [s], .5) for t in begins) for s in clip["clear"]))
        false = [t for t in events if not within(t, clip["clear"] + clip["ambiguous"], .5)]
        if clip["talk"]:
            talk += len(false)
            continue
        found = [any(within(t, [s], .5) for t in events) for s in clip["clear"]]
        shares = [is_on_in(clip, on, s) for s in clip["clear"]]
        amended = [f or share >= .5 for f, share in zip(found, shares) if share is not None]
        rows.append((clip["person"], len(found), sum(found), len(false), repeats,
                     len(amended), sum(amended), sum(t >= clip["begin"] for t in false)))
        for kind in (0, 1): states[kind] += [on[clip["kind"] == kind].sum(), (clip["kind"] == kind).sum()]
        if clip["single"]: errors += end_errors(clip, sorted(spans))
    share = states[:, 0] / states[:, 1]
    ends = [f"{100 * np.mean(np.array(e) <= .5):.0f} %" for e in zip(*errors)]
    total = np.sum([row[1:] for row in rows], 0)
    people = np.array([np.sum([row[1:] for row in rows if row[0] == name], 0) for name in sorted({row[0] for row in rows})])
    return (f"{text(people, f1)} | {total[1]} | {total[2]} | {total[3]} | {text(people[:, 4:], f1)} | {total[5]} | {total[6]} | {talk} | "
            f"{100 * share[1]:.0f} % | {100 * share[0]:.1f} % | " + " | ".join(ends))


def end_errors(clip, spans):
    """How far the end of each smile lies from its label's, and from that or the ambiguous stretch that follows, in seconds."""
    for begin, end in clip["clear"]:
        found = [s for s in spans if begin - .5 <= s[0] <= end + .5]
        if end >= clip["time"][-1] - .2 or not found or found[-1][1] == np.inf: continue
        ended = found[-1][1]
        if any(other[0] >= end and ended > other[0] for other in clip["clear"]): continue
        latest = next((s[1] for s in clip["ambiguous"] if abs(s[0] - end) < .12), end)
        yield abs(ended - end), max(end - ended, ended - latest, 0)


arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("--traces", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "shared/accuracy")
arguments.add_argument("--unseen", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "shared/smiles")
arguments.add_argument("--weights", action="store_true", help="only fit and print the weights")
arguments = arguments.parse_args()
clips, unseen = ([], [])
for folder, into in ((arguments.traces, clips), (arguments.unseen, unseen)):
    if not folder.is_dir(): raise SystemExit(f"{folder} is no folder; name one with --traces and --unseen")
    into += load(folder)
weights, bias = fit(clips)
for pair, row in zip(PAIRS, weights.reshape(-1, 3)): print("        .init({}, {}, {:.3f}, {:.3f}, {:.3f}),".format(*pair, *(row + 0.0)))
print(f"    private static let bias: Float = {bias:.3f}")
if not arguments.weights:
    models = {q: fit([c for c in clips if c["person"] != q]) for q in {c["person"] for c in clips if (c["kind"] >= 0).any()}}
    every = clips + unseen
    levels = [c["x"] @ model[0] + model[1] for c in every for model in [models.get(c["person"], (weights, bias))]]
    five, five_bias = five_measures()
    old = [c["x"] @ five + five_bias for c in every]
    columns = ["detector", "F1", "found", "false", "repeats", "amended", "found", "false", "false in talk", "on in smiles",
               "on elsewhere", "ends", "ends or ambiguous"]
    print("\n| " + " | ".join(columns) + " |\n|" + len(columns) * "---|")
    print(f"| as it is, {arguments.traces.name} | {score(clips, levels[:len(clips)], SHIPPED)} |")
    print(f"| as it is, {arguments.unseen.name} | {score(unseen, levels[len(clips):], SHIPPED)} |", flush=True)
    quick, slow, laugh = SHIPPED["onsets"]
    for name, level, change in [
        ("as it is, both", levels, {}),
        ("0.3.0's rules", levels, dict(onsets=[quick, (1, *slow[1:])], arriving=None, speech=None)),
        ("without smiles that a face comes in with", levels, dict(arriving=None)), ("without wide laughs", levels, dict(onsets=[quick, slow])),
        ("level of the five measures alone", old, dict(onsets=[(.1, .75, .09, 0), (1, .65, .05, 0)], arriving=None, talk=.2, rest=.6)),
        ("without the own resting level", levels, dict(rest=0)), ("resting level trusted at once", levels, dict(trust=1)),
        ("without the rise", levels, dict(rise=-9)), ("without the gate against talking", levels, dict(talk=0)),
        ("without the time in speech", levels, dict(speech=None)), ("the same time if restless", levels, dict(speech=(.3, .3, 0))),
        ("without the limits on the corners", levels, dict(onsets=[(*o[:2], 9, o[3]) for o in SHIPPED["onsets"]])),
        ("without the weaker smile that lasts", levels, dict(onsets=[quick, laugh])),
        ("slower and weaker (rise 0.35)", levels, dict(rise=.35)),
        ("begun by one frame", levels, dict(onsets=[(.01, *quick[1:]), slow, laugh])),
        ("end averaged over 0.15 s", levels, dict(window=.15)),
        ("end at 0.35 only", levels, dict(share=0)), ("end at 0.58 of the peak only", levels, dict(end=-9)),
        *((f"smileMerge {s} s", levels, dict(merge=s)) for s in (0, .3, 1, 1.5)),
    ]: print(f"| {name} | {score(every, level, SHIPPED | change)} |", flush=True)

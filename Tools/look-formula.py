#!/usr/bin/env python3
"""Fits the formula of the gaze (FaceGeometry+Gaze.swift) to recorded landmarks of people who look at the camera or away.

    look-formula.py SHARED     the folder with accuracy/traces, accuracy/points.json and look/index.json

gaze = (head * yaw + iris * x, head * pitch + iris * y + neutral), in degrees: yaw and pitch are the head's, x and y how far
the irises lie from the middle of their eyes' corners, along and across the line between these, in units of the distance
between the outer eye corners and weighted by the eyes' widths squared. Of the three constants only two ratios tell looks
from other frames; the third is chosen so that the cone that does so best is 20 degrees wide, and comes out as what the
eyeball's size makes it. Prints the constants, the balanced accuracy with each person left out in turn, by clip,
and the same for the head alone. Labels that are less sure, closed eyes and faces below 60 pixels are left out. Needs numpy.
"""
import gzip, json, os, sys
import numpy as np

EYES = [(33, 133, range(468, 473), (246, 161, 160, 159, 158, 157, 173), (7, 163, 144, 145, 153, 154, 155)),
        (362, 263, range(473, 478), (398, 384, 385, 386, 387, 388, 466), (382, 381, 380, 374, 373, 390, 249))]
LIDS = np.array([0.3, 0.7, 1, 1, 1, 0.7, 0.3])
# The mean face of HeadAxes.swift: points, height, depth.
FACE = [((33, 263), .172, -.019), ((133, 362), .162, .043), ((98, 327), -.294, .234), ((48, 278), -.217, .316),
        ((129, 358), -.221, .188), ((50, 280), -.185, .074), ((117, 346), -.01, -.008), ((54, 284), .555, -.212),
        ((127, 356), .085, -.567), ((234, 454), -.083, -.604), ((93, 323), -.25, -.595), ((10,), .79, .129),
        ((168,), .241, .224), ((6,), .158, .279), ((197,), .083, .341), ((4,), -.155, .51), ((1,), -.231, .492),
        ((2,), -.314, .327)]


def dot(a, b):
    return (a * b).sum(-1)


def measure(p):
    """Yaw and pitch of the head, offset of the irises, height of the lids, from frames of 478 points in pixels."""
    q = p * [1, -1, -1]
    x = q[:, 263] - q[:, 33] + q[:, 454] - q[:, 234]
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = q[:, 10] - q[:, 152]
    y = y - x * dot(y, x)[:, None]
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    z = np.cross(x, y)
    parts = [(q[:, i] - q[:, 168], up, out) for points, up, out in FACE for i in points]
    tilt = np.arctan2(sum(up * dot(v, z) - out * dot(v, y) for v, up, out in parts),
                      sum(up * dot(v, y) + out * dot(v, z) for v, up, out in parts))
    forward = z * np.cos(tilt)[:, None] - y * np.sin(tilt)[:, None]
    unit = np.linalg.norm(q[:, 263] - q[:, 33], axis=1)
    total = offset = lids = 0
    for left, right, iris, upper, lower in EYES:
        a, b = p[:, left, :2], p[:, right, :2]
        width = np.linalg.norm(b - a, axis=1)
        along = (b - a) / width[:, None]
        down = np.stack([-along[:, 1], along[:, 0]], 1)
        place = p[:, list(iris), :2].mean(1) - (a + b) / 2
        depth = [sum(w * dot(p[:, i, :2] - a, down) for w, i in zip(LIDS, lid)) / LIDS.sum() for lid in (lower, upper)]
        offset = offset + width ** 2 * np.stack([dot(place, along), -dot(place, down)])
        lids = lids + width ** 2 * (depth[0] / 2 - depth[1])
        total = total + width ** 2
    return (np.degrees(np.arctan2(z[:, 0], z[:, 2])), np.degrees(np.arcsin(np.clip(forward[:, 1], -1, 1))) + 7.6,
            *(offset / total / unit), lids / total / unit)


def load(shared):
    """For each surely labelled clip: its name, the measures of each scored frame, whether it is at the camera, the seconds it counts."""
    points = json.load(open(shared + "/accuracy/points.json"))["points"]
    for name, clip in json.load(open(shared + "/look/index.json")).items():
        if clip.get("less_sure"):
            continue
        for letter, spans in clip["looking"].items():
            times, frames, sizes = [], [], []
            for line in gzip.open(f"{shared}/accuracy/traces/{name.replace('/', '__')}.jsonl.gz", "rt"):
                row = json.loads(line)
                for face in row["faces"]:
                    if face["lineage"] == 1 + (letter == "B"):
                        times.append(row["t"]); frames.append(face["points"]); sizes.append(face["observation"]["eyeDistance"])
            mesh = np.full((len(frames), 478, 3), np.nan)
            mesh[:, points] = frames
            values, times = np.array(measure(mesh)), np.array(times)
            inside = [np.any([(times >= a) & (times < b) for a, b in spans[key]] or [times < 0], axis=0) for key in ("away", "at_camera")]
            chosen = (inside[0] | inside[1]) & (np.array(sizes) >= 60) & (values[4] > 0.6 * np.quantile(values[4], 0.7))
            if chosen.sum() > 2:
                yield name, values[:4, chosen], inside[1][chosen], np.median(np.diff(times))


def angle(values, ratio, neutral, head_only=False):
    """The angle to the camera, for a head that counts 1."""
    yaw, pitch, x, y = values
    return np.hypot(yaw, pitch + neutral) if head_only else np.hypot(yaw + ratio * x, pitch + ratio * y + neutral)


def fit(clips, head_only):
    """Ratio, neutral and limit with the least logistic loss; a clip counts at most three seconds of each kind."""
    def loss(p):
        sums = np.zeros((2, 2))
        for _, values, at, dt in clips:
            score = (p[2] - angle(values, 100 * p[0], p[1], head_only)) / 2.5
            for kind, sign in ((at, -1), (~at, 1)):
                if kind.any():
                    weight = min(kind.sum() * dt, 3)
                    sums[int(sign > 0)] += weight * np.logaddexp(0, sign * score[kind]).mean(), weight
        return (sums[:, 0] / sums[:, 1]).sum()
    best, step = np.array([7.0, -4.0 if head_only else -18.0, 15.0]), np.array([1.0, 4.0, 4.0])
    lowest = loss(best)
    while step[0] > 0.01:
        tries = [best + sign * step * axis for axis in np.eye(3) for sign in (-1, 1)]
        losses = [loss(one) for one in tries]
        if min(losses) < lowest:
            best, lowest = tries[int(np.argmin(losses))], min(losses)
        else:
            step /= 2
    return best


def main(shared):
    clips = list(load(shared))
    for head_only in (False, True):
        ratio, neutral, limit = fit(clips, head_only)
        if not head_only:
            head = 10 / limit
            print(f"head {head:.2f}, iris {head * 100 * ratio:.0f}, neutral {head * neutral:.1f}")
        right, seconds = np.zeros(2), np.zeros(2)
        for index, (name, values, at, dt) in enumerate(clips):
            ratio, neutral, limit = fit(clips[:index] + clips[index + 1:], head_only)
            found = angle(values, 100 * ratio, neutral, head_only) < limit
            for kind in (0, 1):
                of_kind = at == bool(kind)
                right[kind] += dt * (found[of_kind] == bool(kind)).sum()
                seconds[kind] += dt * of_kind.sum()
                if of_kind.any() and not head_only:
                    share = (found[of_kind] == bool(kind)).mean()
                    print(f"  {name}: {'at the camera' if kind else 'away'} {share:.2f} of {dt * of_kind.sum():.1f} s")
        shares = right / seconds
        print(f"{'head alone' if head_only else 'irises and head'}: at the camera {shares[1]:.3f} of {seconds[1]:.0f} s, away "
              f"{shares[0]:.3f} of {seconds[0]:.0f} s, balanced {shares.mean():.3f}")


if __name__ == "__main__":
    main(os.path.normpath(sys.argv[1])) if len(sys.argv) == 2 else sys.exit(__doc__)

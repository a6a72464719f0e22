#!/usr/bin/env python3
"""Computes the mean face that HeadAxes fits for the pitch, from recorded landmarks.

    mean-face.py TRACES     a folder of *.jsonl.gz with points.json beside it, as ../shared/accuracy/traces

Generalised Procrustes analysis: twenty frames of every face whose outer eye corners are 40 pixels apart or more are moved,
turned and scaled on the mean, averaged by person, and averaged over persons and both halves of the face, ten times over.
The unit is the distance between the outer eye corners; x runs to the picture's right, y from chin to forehead, z out of
the face, as in HeadAxes. Prints each pair of points, or the one in the middle, with y and z. Needs numpy.
"""
import glob, gzip, json, os, sys
import numpy as np

# Points that mouth, jaw and brows move little: eye corners, nose, cheekbones, the outline from forehead to ears.
PAIRS = [(33, 263), (133, 362), (98, 327), (48, 278), (129, 358), (50, 280), (117, 346), (54, 284), (127, 356), (234, 454), (93, 323)]
MIDDLE = [10, 168, 6, 197, 4, 1, 2]
WANTED = [point for pair in PAIRS for point in pair] + MIDDLE
MIRROR = [WANTED.index(b if point == a else a) for a, b in PAIRS for point in (a, b)] + list(range(2 * len(PAIRS), len(WANTED)))
AXES = [263, 33, 454, 234, 10, 152]  # what HeadAxes is made from


def faces(folder):
    """The frames of each face: the wanted points, then those of the axes."""
    stored = json.load(open(os.path.join(folder, "..", "points.json")))["points"]
    columns = [stored.index(point) for point in WANTED + AXES]
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl.gz"))):
        for line in gzip.open(path, "rt"):
            for face in json.loads(line)["faces"]:
                found.setdefault((path, face["lineage"]), []).append(face)
    for frames in found.values():
        chosen = [face for face in frames[5 :: max(1, len(frames) // 20)] if face["observation"]["eyeDistance"] >= 40]
        if len(frames) >= 15 and chosen:
            yield np.array([np.array(face["points"])[columns] for face in chosen]) * [1, -1, -1]


def fitted(face, mean):
    """The face moved, turned and scaled so that its wanted points lie on those of the mean."""
    count = len(WANTED)
    face = face - face[:count].mean(0)
    u, s, v = np.linalg.svd(mean[:count].T @ face[:count])
    turn = np.array([1, 1, np.linalg.det(u @ v)])
    return face @ ((u * turn) @ v).T * (s @ turn) / (face[:count] ** 2).sum()


def in_own_axes(mean):
    """The mean in units of its eye distance, along the axes that HeadAxes would give it."""
    right, left, right_side, left_side, forehead, chin = mean[len(WANTED) :]
    x = (right - left) + (right_side - left_side)
    x /= np.linalg.norm(x)
    y = (forehead - chin) - x * ((forehead - chin) @ x)
    y /= np.linalg.norm(y)
    mean = (mean - mean[: len(WANTED)].mean(0)) @ np.stack([x, y, np.cross(x, y)], 1) / np.linalg.norm(right - left)
    mean[: len(WANTED)] = (mean[: len(WANTED)] + mean[MIRROR] * [-1, 1, 1]) / 2
    return mean


def main(folder):
    people = list(faces(folder))
    mean = in_own_axes(people[0][0])
    for _ in range(10):
        mean = in_own_axes(np.mean([np.mean([fitted(face, mean) for face in frames], 0) for frames in people], 0))
    for points in PAIRS + [(point,) for point in MIDDLE]:
        print(*points, *mean[WANTED.index(points[0]), 1:].round(3))
    print(len(people), "faces,", sum(map(len, people)), "frames")


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)

#!/usr/bin/env python3
"""Turns a recorded trace (gzipped JSON lines) into plain numbers, which a debug build reads a hundred times as fast.

usage: trace-to-numbers.py TRACE.jsonl.gz POINTS.json > NUMBERS

Little-endian doubles; for each face of each frame: frame, time, lineage, yaw (degrees), eye distance (pixels), whether
there are eye patch signals (0 or 1), their six numbers (left: dissimilarity, centre, brightness; right), then x, y, z of
all 478 points, not a number for those that were not recorded.
"""
import array, gzip, json, sys

points = json.load(open(sys.argv[2]))["points"]
nan = float("nan")
for frame, line in enumerate(gzip.open(sys.argv[1], "rt")):
    row = json.loads(line)
    for face in row["faces"]:
        seen = face["observation"]
        patches = face.get("eyePatches")
        mesh = [nan] * (3 * 478)
        for index, point in zip(points, face["points"]):
            mesh[3 * index:3 * index + 3] = point
        numbers = [frame, row["t"], face["lineage"], seen["yaw"], seen["eyeDistance"], 1 if patches else 0]
        numbers += (patches[0] + patches[1]) if patches else [0] * 6
        array.array("d", numbers + mesh).tofile(sys.stdout.buffer)

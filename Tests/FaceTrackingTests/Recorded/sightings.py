#!/usr/bin/env python3
"""Packs and unpacks what the traces of ../shared/accuracy or ../shared/smiles hold for the tests of this folder: numbers of faces, no pictures.

usage: sightings.py pack NUMBERS LABELS.json LOOKS.json OUT.xz
       sightings.py numbers IN.xz > NUMBERS
       sightings.py labels | looks IN.xz > LABELS.json

NUMBERS are little-endian doubles, COLUMNS for each face of each frame: the trace's number in the order of the labels' names, frame,
seconds, lineage, then what STEPS says. Packed, each column is a list of differences in steps, which xz makes a hundredth of the traces.
"""
import array, json, lzma, sys

# Steps in a unit: of degrees; pixels; shares of the outer eye distance; the level; degrees; whether there are eye patches, and their
# signals. Seconds have six decimals in the traces: divided by a million they are the same number again, to the last bit.
STEPS = [1, 1, 10**6, 1, 100, 100, 100, 10**5, 10**5, 10**5, 10**5, 10**5, 10**5, 10**4, 100, 100, 1, 10**4, 1000, 1000, 10**4, 1000, 1000]
COLUMNS = len(STEPS)


def pack(numbers, labels, looks, out):
    values = array.array("d", open(numbers, "rb").read())
    looks = json.loads(open(looks).read() or "{}")
    looks = {name: {key: clip[key] for key in clip if key != "note"} for name, clip in looks.items()}
    columns = []
    for column, step in enumerate(STEPS):
        last, differences = 0, array.array("i")
        for value in values[column::COLUMNS]:
            level = round(value * step)
            differences.append(level - last)
            last = level
        raw = differences.tobytes()
        # The bytes of equal weight beside each other: most of the upper ones are alike.
        columns.append(b"".join(raw[byte::4] for byte in range(4)))
    head = json.dumps({"labels": json.load(open(labels)), "looks": looks, "count": len(values) // COLUMNS}).encode()
    body = head + b"\n" + b"".join(columns)
    open(out, "wb").write(lzma.compress(body, preset=9 | lzma.PRESET_EXTREME))


def read(path):
    head, body = lzma.decompress(open(path, "rb").read()).split(b"\n", 1)
    return json.loads(head), body


def numbers(path):
    head, body = read(path)
    count = head["count"]
    result = array.array("d", bytes(8 * count * COLUMNS))
    for column, step in enumerate(STEPS):
        part = body[4 * count * column : 4 * count * (column + 1)]
        raw = bytearray(4 * count)
        for byte in range(4):
            raw[byte::4] = part[count * byte : count * (byte + 1)]
        level, levels = 0, array.array("d")
        for difference in array.array("i", bytes(raw)):
            level += difference
            levels.append(level / step)
        result[column::COLUMNS] = levels
    result.tofile(sys.stdout.buffer)


if sys.argv[1] == "pack":
    pack(*sys.argv[2:])
elif sys.argv[1] == "numbers":
    numbers(sys.argv[2])
else:
    json.dump(read(sys.argv[2])[0][sys.argv[1]], sys.stdout)

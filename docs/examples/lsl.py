#!/usr/bin/env python3
"""Hands faces and events on as Lab Streaming Layer streams; needs pylsl (pip install pylsl).

usage: facet watch --json | python3 lsl.py [CAMERA]

Two streams of the type Face: CAMERA-numbers with a sample for each change of the nearest face (NaN where unknown, all NaN
without a face), and CAMERA-markers with an event's kind and face, such as "smile 7". Their time stamps are those of the
frames. Numbers come as often as metadata does: facetd --every-change publishes each change.
"""
import datetime
import json
import math
import sys
import time

import pylsl

CHANNELS = {"faceID": "", "x": "share of width", "y": "share of height", "width": "share of width",
            "height": "share of height", "roll": "degrees", "yaw": "degrees", "pitch": "degrees", "smile": "0 to 1",
            "leftEyeOpen": "0 to 1", "rightEyeOpen": "0 to 1", "mouthOpen": "0 to 1", "looking": "0 or 1", "distance": "metres"}


def numbers(faces):
    """The nearest face's numbers, which is the one with the largest bounds."""
    if not faces:
        return [math.nan] * len(CHANNELS)
    face = max(faces, key=lambda face: face["bounds"]["width"] * face["bounds"]["height"])
    bounds = face["bounds"]
    place = {**bounds, "x": bounds["x"] + bounds["width"] / 2, "y": bounds["y"] + bounds["height"] / 2}
    return [float({**face, **place}.get(name, math.nan)) for name in CHANNELS]


def lsl_time(text):
    """A frame's time on LSL's clock, if both machines agree about the time."""
    return pylsl.local_clock() - (time.time() - datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())


camera = sys.argv[1] if len(sys.argv) > 1 else "facet"
info = pylsl.StreamInfo(f"{camera}-numbers", "Face", len(CHANNELS), pylsl.IRREGULAR_RATE, "float32", f"{camera}-numbers")
channels = info.desc().append_child("channels")
for label, unit in CHANNELS.items():
    channel = channels.append_child("channel").append_child_value("label", label)
    channel.append_child_value("unit", unit)
outlet = pylsl.StreamOutlet(info)
markers = pylsl.StreamOutlet(pylsl.StreamInfo(f"{camera}-markers", "Face", 1, pylsl.IRREGULAR_RATE, "string", f"{camera}-markers"))
for line in sys.stdin:
    payload = json.loads(line).get("payload")
    if isinstance(payload, dict) and isinstance(payload.get("faces"), list):
        outlet.push_sample(numbers(payload["faces"]), lsl_time(payload["time"]))
    elif isinstance(payload, dict) and "event_type" in payload:
        markers.push_sample([f"{payload['event_type']} {payload['faceID']}"], lsl_time(payload["time"]))

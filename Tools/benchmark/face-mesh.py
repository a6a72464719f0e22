"""Measures MediaPipe's face mesh for `benchmark against`: face-mesh.py CLIP FRAMES FACES.

For each line of standard input it looks at the clip's frames, which are decoded beforehand, and writes the seconds of
processor time that this took and how many frames there are. Needs the packages mediapipe 0.10.21 or older, and OpenCV.
"""
import os
import sys
import time

os.environ.setdefault("GLOG_minloglevel", "3")
import cv2
import mediapipe

clip, limit = sys.argv[1], int(sys.argv[2])
capture = cv2.VideoCapture(clip)
frames = []
while len(frames) < limit:
    isThere, frame = capture.read()
    if not isThere:
        break
    frames.append(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB))
if not frames:
    sys.exit(f"cannot read {clip}")
# No more faces than there are: with a place free it would look for another one in every frame.
mesh = mediapipe.solutions.face_mesh.FaceMesh(max_num_faces=int(sys.argv[3]), refine_landmarks=True)
for _ in sys.stdin:
    start = time.process_time()
    for frame in frames:
        mesh.process(frame)
    print(time.process_time() - start, len(frames), flush=True)

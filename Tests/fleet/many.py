"""Runs many cameras on one machine under `facet fleet`: is each change shown within a second, and what does it all cost?"""
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import termios
import threading
import time

from bench import PORTRAIT, Client, until
from settings import SettingsExamples

COUNT = 40
LIMIT = 1
SECONDS = 30


def processor_time(pid):
    """What a process has used so far, in seconds, threads that have ended included: its clock, by clock_getcpuclockid."""
    return time.clock_gettime(~pid << 3 | 2)


class Rows:
    """The lines of `facet fleet --json`, each with the time of its arrival."""

    def __init__(self, process):
        self.rows = []
        threading.Thread(target=self.read, args=(process.stdout,), daemon=True).start()

    def read(self, stream):
        for line in stream:
            self.rows.append((time.monotonic(), json.loads(line)))

    def states(self):
        return {row["base"]: row["state"] for _, row in list(self.rows)}

    def shown(self, base, since, **wanted):
        """After how many seconds a row shows what is wanted."""
        fits = lambda row: row["base"] == base and all(row.get(key) == value for key, value in wanted.items())
        # Two subscribers get a message in any order.
        found = lambda: next((max(0, at - since) for at, row in list(self.rows) if at >= since - 0.1 and fits(row)), None)
        until(lambda: found() is not None, 30)
        return found()


class ManyCameras(SettingsExamples):
    def on_terminal(self, command):
        """Starts a program on a terminal of 100 columns and 50 rows, whose output nobody looks at."""
        controller, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
        process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True)
        self.processes.append(process)
        threading.Thread(target=lambda: [None for _ in iter(lambda: os.read(controller, 65536), b"")], daemon=True).start()
        return process

    def forty(self):
        port = self.broker("allow_anonymous true")
        url, facet = f"mqtt://127.0.0.1:{port}", os.environ["FACET"]
        table = subprocess.Popen([facet, "fleet", "--json", "--mqtt", url], stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.processes.append(table)
        rows = Rows(table)
        live = self.on_terminal([facet, "fleet", "--mqtt", url])
        daemon = lambda number: self.start(
            [self.facetd, "--source", PORTRAIT, "--set", "clip.loop=true", "--mqtt", url, "--set", "detection.enabled=false"],
            f"facetd-{number}", FACET_CAMERA_NAME=f"camera{number}", FACET_MQTT_TOPIC=f"camera{number}/faces",
            STATE_DIRECTORY=str(self.work / f"state-{number}"))
        cameras = {number: daemon(number) for number in range(1, COUNT + 1)}
        whole = lambda: list(rows.states().values()).count("disabled") == COUNT
        self.check(until(whole, 120) is not None, f"forty: all {COUNT} cameras have a row")
        time.sleep(10)
        self.cost(cameras.values(), table, live)
        remote = Client(port, "camera11/faces/status")
        order = lambda number, text: remote.publish(f"camera{number}/faces/detect/set", text)
        for what, number, action, wanted in (
            ("switched on", 3, lambda: order(3, "ON"), {"state": "streaming"}),
            ("switched off", 3, lambda: order(3, "OFF"), {"state": "disabled"}),
            ("ended", 7, lambda: cameras[7].send_signal(signal.SIGTERM), {"state": "stopped"}),
            ("started again", 7, lambda: daemon(7), {"state": "disabled"}),
            ("killed", 11, lambda: cameras[11].send_signal(signal.SIGKILL), {"state": "offline"}),
        ):
            since = time.monotonic()
            action()
            if what == "killed":
                # What there is to show is the will, which the broker publishes when mqtt.willDelay is over.
                until(lambda: remote.live("camera11/faces/status", '"offline"'))
                will = remote.messages[-1][0]
                what, since = f"killed, and whose will came after {will - since:.1f} s,", will
            took = rows.shown(f"camera{number}/faces", since, **wanted)
            self.check(took is not None and took <= LIMIT,
                       f"forty: a camera that is {what} is shown as {wanted['state']} after {took or 0:.2f} s")
        self.written_once(facet, url)

    def cost(self, cameras, table, live):
        begin, before = time.monotonic(), [processor_time(p.pid) for p in (*cameras, table, live)]
        time.sleep(SECONDS)
        elapsed = time.monotonic() - begin
        used = [(processor_time(p.pid) - b) / elapsed for p, b in zip((*cameras, table, live), before)]
        print(f"       in {elapsed:.0f} s: {sum(used[:-2]) / len(used[:-2]) * 1000:.2f} ms/s for each daemon with detection off, "
              f"{used[-2] * 100:.2f} % of a core for `facet fleet --json`, {used[-1] * 100:.2f} % on a terminal", flush=True)

    def written_once(self, facet, url):
        """The table written once, as a person sees it."""
        once = subprocess.run([facet, "fleet", "--once", "--json", "--mqtt", url], capture_output=True, text=True)
        states = [json.loads(line)["state"] for line in once.stdout.splitlines()]
        self.check(len(states) == COUNT and states.count("offline") == 1 and states.count("disabled") == COUNT - 1,
                   f"forty: written once, {states.count('disabled')} are disabled and {states.count('offline')} offline")

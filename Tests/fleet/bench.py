"""What the runs in this directory need: programs, brokers, a subscriber, a network connection that can be cut."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import paho.mqtt.client as mqtt

EXAMPLES = pathlib.Path("docs/examples")
PORTRAIT = "/usr/local/share/facet/astronaut.png"
SBIN = os.environ["PATH"] + ":/usr/sbin:/sbin"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def until(condition, seconds=20):
    """Whether something becomes so in time, and after how many seconds."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        if condition():
            return time.monotonic() - start
        time.sleep(0.05)
    return None


class Line:
    """A network connection that can be cut: forwards a port of its own to another one."""

    def __init__(self, to):
        self.to, self.ends, self.listener = to, [], None
        self.port = free_port()
        self.mend()

    def mend(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                near = listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self.to))
                self.ends += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self.copy, args=(source, target), daemon=True).start()

    def copy(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for end in (source, target):
            end.close()

    def cut(self):
        # shutdown too: a thread that waits in accept or recv would keep a closed socket alive.
        for end in [self.listener, *self.ends]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self.ends = []


class Client:
    """A subscriber that keeps what it gets."""

    def __init__(self, port, *topics, user=None, version=mqtt.MQTTv5):
        self.messages, self.lock = [], threading.Lock()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=version)
        if user:
            self.client.username_pw_set(user, user)
        self.client.on_message = self.got
        self.client.on_connect = lambda client, *_: [client.subscribe(topic, 1) for topic in topics]
        self.client.reconnect_delay_set(1, 1)
        if until(lambda: self.tries(port), 60) is None:
            sys.exit(f"no broker on port {port}")
        self.client.loop_start()
        until(self.client.is_connected)
        time.sleep(0.3)

    def tries(self, port):
        with contextlib.suppress(OSError):
            return self.client.connect("127.0.0.1", port) == 0

    def got(self, _client, _data, message):
        with self.lock:
            self.messages.append((time.monotonic(), message))

    def of(self, topic, since=0.0):
        with self.lock:
            return [m for at, m in self.messages if m.topic == topic and at >= since]

    def live(self, topic, text):
        """Whether a message with that text came just when it was published, not one that the broker had kept."""
        return any(not m.retain and text in m.payload.decode() for m in self.of(topic))

    def texts(self, topic, since=0.0):
        return [m.payload.decode(errors="replace") for m in self.of(topic, since)]

    def publish(self, topic, text):
        self.client.publish(topic, text, 1).wait_for_publish(5)


class Bench:
    def __init__(self, facetd, root):
        self.facetd, self.root, self.failures, self.processes = facetd, pathlib.Path(root), 0, []
        self.inside = pathlib.Path("/var/tmp/facet-examples")
        self.work = self.root / self.inside.relative_to("/")
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def check(self, holds, text):
        print(f"{'ok    ' if holds else 'not ok'} {text}", flush=True)
        self.failures += not holds

    def start(self, command, name, **environment):
        with open(self.work / f"{name}.log", "ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                       env={**os.environ, **environment}, start_new_session=True)
        self.processes.append(process)
        return process

    def stop(self, process, how=signal.SIGTERM):
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, how)
            process.wait(30)

    def end(self):
        for process in self.processes:
            with contextlib.suppress(Exception):
                self.stop(process, signal.SIGKILL)
        self.processes = []

    def foreign(self, program):
        """A command for a program of the tree; nil if it has none."""
        found = shutil.which(program, path=":".join(str(self.root / p) for p in ("usr/bin", "usr/sbin", "usr/lib/rabbitmq/bin")))
        return ["chroot", str(self.root), "/" + str(pathlib.Path(found).relative_to(self.root))] if found else None

    def example(self, name, to=None, **changes):
        """A copy of an example with other ports and places; each change must find something to change."""
        text = (EXAMPLES / name).read_text()
        for old, new in changes.pop("changes", {}).items():
            if old not in text:
                sys.exit(f"{name} has no {old!r}")
            text = text.replace(old, new)
        path = self.work / (to or name)
        path.write_text(text)
        return path

    def mosquitto(self, configuration, name):
        text = configuration.read_text()
        if "user root" not in text:
            configuration.write_text(text + "\nuser root\n")
        return self.start([shutil.which("mosquitto", path=SBIN), "-c", str(configuration)], name)

    def daemon(self, camera, port, *more, user=None):
        state = self.work / f"state-{camera}"
        environment = {"XDG_STATE_HOME": str(state), "FACET_CAMERA_NAME": camera, "FACET_MQTT_TOPIC": f"{camera}/faces"}
        if user:
            environment |= {"FACET_MQTT_USERNAME": user, "FACET_MQTT_PASSWORD": user}
        return self.start([self.facetd, "--source", PORTRAIT, "--set", "clip.loop=true", "--mqtt",
                           f"mqtt://127.0.0.1:{port}", *more], f"facetd-{camera}", **environment)

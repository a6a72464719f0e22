"""Runs each example of docs/examples with the program it is for, and a real facetd. Started by `run`."""
import contextlib
import os
import pathlib
import re
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

    # ------------------------------------------------------------ the examples
    def mosquitto_central(self):
        port, users = free_port(), ("front", "porch", "home-assistant", "viewer")
        passwords = self.work / "facet.passwords"
        passwords.write_text("".join(f"{user}:{user}\n" for user in users))
        passwords.chmod(0o600)
        subprocess.run([shutil.which("mosquitto_passwd"), "-U", str(passwords)], check=True)
        acl = self.example("mosquitto.acl")
        acl.chmod(0o600)
        configuration = self.example("mosquitto-central.conf", changes={
            "listener 1883": f"listener {port} 127.0.0.1", "/etc/mosquitto/facet.passwords": str(passwords),
            "/etc/mosquitto/facet.acl": str(acl), "/var/lib/mosquitto/": f"{self.work}/",
        })
        self.mosquitto(configuration, "central")
        viewer = Client(port, "+/faces/#", user="viewer")
        home = Client(port, "homeassistant/#", "+/faces/#", user="home-assistant")
        for camera in ("front", "porch"):
            self.daemon(camera, port, "--set", "homeassistant.discovery=true", "--set", "preview.enabled=true", user=camera)
        seen = until(lambda: all(viewer.of(f"{c}/faces/enter") for c in ("front", "porch")))
        self.check(seen is not None, "central: a read-only subscriber sees both cameras")
        self.check(until(lambda: home.of("front/faces/preview/jpeg")) is not None, "central: Home Assistant sees pictures")
        self.check(not viewer.of("front/faces/preview/jpeg"), "central: the read-only subscriber sees none")
        device = "homeassistant/device/facet-front-faces/config"
        self.check(until(lambda: home.of(device)) is not None, "central: a camera may announce its device")
        viewer.publish("front/faces/detect/set", "OFF")
        front = Client(port, user="front")
        front.publish("porch/faces/detect/set", "OFF")
        front.publish("homeassistant/device/facet-porch-faces/config", "")
        time.sleep(2)
        off = [c for c in ("front", "porch") if "OFF" in viewer.texts(f"{c}/faces/detect/state")]
        self.check(not off, f"central: neither a reader nor another camera switches detection {off}")
        self.check(all(m.payload for m in home.of("homeassistant/device/facet-porch-faces/config")),
                   "central: no camera removes another one's device")
        home.publish("front/faces/detect/set", "OFF")
        self.check(until(lambda: "OFF" in viewer.texts("front/faces/detect/state")) is not None,
                   "central: Home Assistant switches detection")

    def mosquitto_edge(self):
        central_port, edge_port = free_port(), free_port()
        central = self.work / "centre.conf"
        central.write_text(f"listener {central_port} 127.0.0.1\nallow_anonymous true\n")
        edge = self.example("mosquitto-edge.conf", changes={
            "listener 1883 127.0.0.1": f"listener {edge_port} 127.0.0.1", "/var/lib/mosquitto/": f"{self.work}/",
            "central.example:1883": f"127.0.0.1:{central_port}", "restart_timeout 1 30": "restart_timeout 1 1",
        })
        self.mosquitto(central, "centre")
        line = Line(central_port)
        edge.write_text(edge.read_text().replace(f"127.0.0.1:{central_port}", f"127.0.0.1:{line.port}"))
        self.mosquitto(edge, "edge")
        self.daemon("front", edge_port)
        watcher, local = Client(central_port, "site1/#"), Client(edge_port, "front/faces/#")
        seen = until(lambda: watcher.of("site1/front/faces/status") and local.of("front/faces/metadata"))
        self.check(seen is not None, "edge: the centre sees the site's camera")
        since = time.monotonic()
        watcher.publish("site1/front/faces/detect/set", "OFF")
        leave = "site1/front/faces/leave"
        self.check(until(lambda: watcher.of(leave, since)) is not None, "edge: a command from the centre arrives")
        expiry = getattr(watcher.of(leave, since)[0].properties, "MessageExpiryInterval", None)
        self.check(expiry is not None and expiry <= 10, f"edge: an event keeps its expiry across the bridge ({expiry} s)")
        local.publish("front/faces/detect/set", "ON")
        until(lambda: local.of("front/faces/enter", since))
        for pause, arrives in ((5, True), (13, False)):
            line.cut()
            since = time.monotonic()
            local.publish("front/faces/detect/set", "OFF")
            until(lambda: local.of("front/faces/leave", since))
            time.sleep(pause)
            line.mend()
            back = until(lambda: watcher.of("site1/bridge", since + pause), 15)
            late = until(lambda: watcher.of(leave, since), 5)
            if arrives:
                expiry = late is not None and getattr(watcher.of(leave, since)[0].properties, "MessageExpiryInterval", None)
                self.check(late is not None and expiry <= 10 - pause + 1,
                           f"edge: an event waits for the centre, its expiry counts down ({expiry} s after {pause} s)")
            else:
                self.check(back is not None and late is None, f"edge: an event does not arrive {pause} s late")
            local.publish("front/faces/detect/set", "ON")
            until(lambda: local.of("front/faces/enter", since))

    def haproxy(self):
        program = self.foreign("haproxy")
        if not program:
            return print("skipped haproxy: the program is missing")
        ports, port = [free_port(), free_port()], free_port()
        brokers = []
        for index, broker_port in enumerate(ports):
            path = self.work / f"broker{index}.conf"
            path.write_text(f"listener {broker_port} 127.0.0.1\nallow_anonymous true\n")
            brokers.append((path, self.mosquitto(path, f"broker{index}")))
        self.example("haproxy.cfg", changes={
            "bind :1883": f"bind 127.0.0.1:{port}", "192.0.2.1:1883": f"127.0.0.1:{ports[0]}",
            "192.0.2.2:1883": f"127.0.0.1:{ports[1]}",
        })
        inside = str(self.inside / "haproxy.cfg")
        parsed = subprocess.run([*program, "-c", "-f", inside], capture_output=True, text=True)
        self.check(parsed.returncode == 0 and "WARNING" not in parsed.stderr, f"haproxy: the file is valid {parsed.stderr.strip()[:200]}")
        self.start([*program, "-f", inside], "haproxy")
        second = Client(ports[1], "front/faces/status")
        time.sleep(3)
        self.daemon("front", port)
        first = Client(ports[0], "front/faces/status")
        self.check(until(lambda: any("online" in t for t in first.texts("front/faces/status"))) is not None,
                   "haproxy: the camera is at the first broker")
        self.stop(brokers[0][1], signal.SIGKILL)
        took = until(lambda: any('"online"' in t for t in second.texts("front/faces/status")), 30)
        self.check(took is not None, f"haproxy: after kill -9 it is at the second one, in {took or 0:.1f} s")

    def nats(self):
        program = self.foreign("nats-server")
        if not program:
            return print("skipped nats: the program is missing")
        port = free_port()
        self.example("nats.conf", changes={"127.0.0.1:4222": f"127.0.0.1:{free_port()}", "0.0.0.0:1883": f"127.0.0.1:{port}",
                                           "/var/lib/nats": str(self.inside / "nats")})
        command = [*program, "-c", str(self.inside / "nats.conf")]
        server = self.start(command, "nats")
        self.one_broker("nats", port, lambda: self.start(command, "nats"), server, mqtt.MQTTv311)

    def rabbitmq(self):
        program = self.foreign("rabbitmq-server")
        if not program:
            return print("skipped rabbitmq: the program is missing")
        port = free_port()
        self.example("rabbitmq.conf", changes={"mqtt.listeners.tcp.default = 1883": f"mqtt.listeners.tcp.default = {port}"})
        (self.work / "plugins").write_text("[rabbitmq_mqtt].\n")
        environment = {
            "HOME": str(self.inside), "RABBITMQ_CONFIG_FILE": str(self.inside / "rabbitmq.conf"),
            "RABBITMQ_MNESIA_BASE": str(self.inside / "rabbit"), "RABBITMQ_LOG_BASE": str(self.inside / "rabbit-log"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.inside / "plugins"), "RABBITMQ_NODENAME": "facet@localhost",
            "RABBITMQ_DIST_PORT": str(free_port()), "ERL_EPMD_PORT": str(free_port()),
            "PATH": "/usr/lib/rabbitmq/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        }
        lib = ["chroot", str(self.root), "/usr/lib/rabbitmq/bin/rabbitmq-server"]
        control = ["chroot", str(self.root), "/usr/lib/rabbitmq/bin/rabbitmqctl"]
        server = self.start(lib, "rabbitmq", **environment)

        def ctl(*arguments):
            return subprocess.run([*control, *arguments], env={**os.environ, **environment}, capture_output=True, text=True)
        if until(lambda: ctl("await_startup", "--timeout", "60").returncode == 0, 120) is None:
            return self.check(False, f"rabbitmq: did not start, see {self.work}/rabbitmq.log")
        for user in ("front", "viewer"):
            ctl("add_user", user, user)
            ctl("set_permissions", user, "mqtt-.*", ".*", ".*")
        self.one_broker("rabbitmq", port, lambda: self.start(lib, "rabbitmq", **environment), server, mqtt.MQTTv5,
                        user="viewer", daemon_user="front", more=("--set", "mqtt.willDelay=0s"))

    def one_broker(self, name, port, restart, server, version, user=None, daemon_user=None, more=()):
        client = Client(port, *(f"front/faces/{t}" for t in ("status", "enter", "leave", "count", "detect/state")), user=user,
                        version=version)
        daemon = self.daemon("front", port, *more, user=daemon_user)
        self.check(until(lambda: client.of("front/faces/enter")) is not None, f"{name}: events arrive")
        client.publish("front/faces/detect/set", "OFF")
        self.check(until(lambda: client.of("front/faces/leave")) is not None, f"{name}: a command arrives")
        client.publish("front/faces/detect/set", "ON")
        until(lambda: len(client.of("front/faces/enter")) > 1)
        self.stop(server, signal.SIGKILL)
        restart()
        start = time.monotonic()
        while socket.socket().connect_ex(("127.0.0.1", port)) and time.monotonic() - start < 90:
            time.sleep(0.1)
        up = time.monotonic()
        later = Client(port, "front/faces/status", user=user, version=version)
        took = until(lambda: later.live("front/faces/status", '"online"'), 90)
        self.check(took is not None,
                   f"{name}: after kill -9 of the broker the camera is back {time.monotonic() - up:.1f} s after its port")
        time.sleep(2)
        self.stop(daemon, signal.SIGKILL)
        gone = until(lambda: later.live("front/faces/status", '"offline"'), 30)
        late = Client(port, "front/faces/status", user=user, version=version)
        kept = until(lambda: any('"offline"' in t for t in late.texts("front/faces/status")), 5)
        self.check(gone is not None and kept is not None,
                   f"{name}: a camera that is killed is offline after {gone or 0:.1f} s, and for who comes later")

    def instances(self):
        """Several cameras of one machine: one settings file, what differs in each one's environment."""
        port = free_port()
        path = self.work / "plain.conf"
        path.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
        self.mosquitto(path, "plain")
        client = Client(port, "+/faces/status")
        shared = self.example("fleet.yaml", changes={"host: broker.example": "host: 127.0.0.1\n  port: %d" % port})
        for camera in ("front", "porch"):
            # As facetd@.service does: the instance's name, then its file.
            environment = {"FACET_CAMERA_NAME": camera, "FACET_MQTT_TOPIC": f"{camera}/faces", "STATE_DIRECTORY": str(self.work / camera)}
            for line in (EXAMPLES / "fleet.env").read_text().splitlines():
                if re.match(r"[A-Z_]+=", line):
                    environment.setdefault(*line.split("=", 1))
            environment["FACET_CAMERA_DEVICE"] = PORTRAIT
            checked = subprocess.run([self.facetd, "check-config", str(shared)], capture_output=True, text=True,
                                     env={**os.environ, **environment})
            self.check(checked.returncode == 0, f"instances: the settings of {camera} are valid {checked.stdout}{checked.stderr}".strip())
            self.start([self.facetd, "--config", str(shared), "--set", "clip.loop=true"], f"facetd-{camera}", **environment)
        seen = until(lambda: all(client.texts(f"{c}/faces/status") for c in ("front", "porch")))
        self.check(seen is not None, "instances: two cameras share one file")


def main():
    facetd, root, *names = sys.argv[1:]
    bench = Bench(facetd, root)
    known = ["mosquitto-central", "mosquitto-edge", "haproxy", "nats", "rabbitmq", "instances"]
    for name in names or known:
        if name not in known:
            sys.exit(f"there is no example {name}; there are {', '.join(known)}")
        for state in bench.work.glob("state-*"):
            shutil.rmtree(state)
        try:
            getattr(bench, name.replace("-", "_"))()
        finally:
            bench.end()
    sys.exit(bench.failures > 0)


if __name__ == "__main__":
    main()

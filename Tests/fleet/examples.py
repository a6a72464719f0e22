"""Runs each example of docs/examples with the program it is for, and a real facetd. Started by `run`."""
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import paho.mqtt.client as mqtt
from bench import Client, Line, free_port, until
from many import ManyCameras


class Examples(ManyCameras):
    def central(self, *users):
        """Starts the central broker with its access list and users whose passwords are their names; returns its port."""
        port = free_port()
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
        return port

    def mosquitto_central(self):
        port = self.central("front", "porch", "home-assistant", "viewer")
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
        central_port, edge_port = self.central("site1", "home-assistant", "viewer"), free_port()
        edge = self.example("mosquitto-edge.conf", changes={
            "listener 1883 127.0.0.1": f"listener {edge_port} 127.0.0.1", "/var/lib/mosquitto/": f"{self.work}/",
            "central.example:1883": f"127.0.0.1:{central_port}", "restart_timeout 1 30": "restart_timeout 1 1",
            "remote_password secret": "remote_password site1",
        })
        line = Line(central_port)
        edge.write_text(edge.read_text().replace(f"127.0.0.1:{central_port}", f"127.0.0.1:{line.port}"))
        self.mosquitto(edge, "edge")
        self.daemon("front", edge_port)
        watcher = Client(central_port, "site1/#", user="home-assistant")
        viewer, local = Client(central_port, "+/+/faces/+", user="viewer"), Client(edge_port, "front/faces/#")
        seen = until(lambda: watcher.of("site1/front/faces/status") and local.of("front/faces/metadata"))
        self.check(seen is not None, "edge: the centre sees the site's camera")
        self.check(until(lambda: viewer.of("site1/front/faces/status")) is not None, "edge: so does a read-only subscriber")
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
        connections = lambda: (self.work / "facetd-front.log").read_text().count("MQTT connected")
        before = connections()
        answers = lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0
        self.stop(server, signal.SIGKILL)
        until(lambda: not answers())
        restart()
        until(answers, 90)
        up = time.monotonic()
        took = until(lambda: connections() > before, 90)
        self.check(took is not None,
                   f"{name}: after kill -9 of the broker the camera is back {time.monotonic() - up:.1f} s after its port")
        later = Client(port, "front/faces/status", user=user, version=version)
        time.sleep(2)
        self.stop(daemon, signal.SIGKILL)
        gone = until(lambda: later.live("front/faces/status", '"offline"'), 30)
        late = Client(port, "front/faces/status", user=user, version=version)
        kept = until(lambda: any('"offline"' in t for t in late.texts("front/faces/status")), 5)
        self.check(gone is not None and kept is not None,
                   f"{name}: a camera that is killed is offline after {gone or 0:.1f} s, and for who comes later")


def main():
    facetd, root, *names = sys.argv[1:]
    bench = Examples(facetd, root)
    known = ["mosquitto-central", "mosquitto-edge", "haproxy", "nats", "rabbitmq", "instances", "kiosk", "tls", "home-assistant", "party", "forty"]
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

"""What the cluster runs connect to a broker: daemons, a subscriber, and bare clients that only ask for a connection."""
import collections
import contextlib
import datetime
import json
import os
import pathlib
import shutil
import socket
import threading
import time

import paho.mqtt.client as mqtt
from bench import until

PORT = 1883
EVENTS = {"enter", "leave", "smile", "blink", "eyes_closed"}


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def connections():
    """The established connections to brokers, of whatever process: the socket's number and the broker's address."""
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "01" and fields[2].endswith(f":{PORT:04X}"):
            yield fields[9], socket.inet_ntoa(int(fields[2][:8], 16).to_bytes(4, "little"))


class Subscriber:
    """Keeps the ids of all events that arrive."""

    def __init__(self, address, version):
        self.ids, self.times, self.connects, self.delay = collections.Counter(), collections.defaultdict(set), 0, 0
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=version)
        self.client.on_connect, self.client.on_message = self.connected, self.got
        self.client.connect_timeout = 10
        self.client.connect(address, PORT)
        self.client.loop_start()
        if until(lambda: self.connects > 0 and self.granted, 20) is None:
            self.end()
            raise OSError(f"the subscriber got no answer from {address}")

    granted = False

    def connected(self, client, *_):
        self.connects += 1
        client.on_subscribe = lambda *_: setattr(self, "granted", True)
        client.subscribe([(f"+/faces/{event}", 1) for event in sorted(EVENTS)])

    def got(self, _client, _data, message):
        event = json.loads(message.payload)
        self.ids[event["id"]] += 1
        if self.ids[event["id"]] == 1 and "schema" in event:
            self.delay = max(self.delay, time.time() - seconds(event["time"]))
        self.times[message.topic, event["faceID"], event["time"]].add(event["id"])

    def end(self):
        self.client.disconnect()
        self.client.loop_stop()


class Probe:
    """Asks nodes for a connection four times a second, each time as a new client that publishes one message, and notes
    when each node first accepts a client and when it first acknowledges a message."""

    def __init__(self, addresses, version):
        self.version5, self.began, self.ended = version == mqtt.MQTTv5, time.time(), threading.Event()
        self.accepted, self.acknowledged = {}, {}
        for address in addresses:
            threading.Thread(target=self.ask_again, args=(address,), daemon=True).start()

    def ask_again(self, address):
        number = 0
        while address not in self.acknowledged and not self.ended.wait(0.25):
            number += 1
            threading.Thread(target=self.ask, args=(address, b"probe%d-%d" % (os.getpid(), number)), daemon=True).start()

    def ask(self, address, client):
        properties = b"\0" * self.version5
        connect = b"\0\4MQTT" + bytes([4 + self.version5, 2, 0, 30]) + properties + bytes([0, len(client)]) + client
        publish = b"\0\5probe\0\1" + properties
        with contextlib.suppress(OSError), socket.create_connection((address, PORT), 20) as connection:
            connection.sendall(bytes([0x10, len(connect)]) + connect)
            answer = connection.recv(100)
            if answer[:1] == b"\x20" and answer[3] == 0:
                self.accepted.setdefault(address, time.time() - self.began)
                connection.sendall(bytes([0x32, len(publish)]) + publish)
                if connection.recv(100)[:1] == b"\x40":
                    self.acknowledged.setdefault(address, time.time() - self.began)
                connection.sendall(b"\xe0\0")

    def text(self):
        accepted, acknowledged = (", ".join(f"{at:.1f}" for at in sorted(times.values())) or "never"
                                  for times in (self.accepted, self.acknowledged))
        return f"the other nodes accept a new client after {accepted} s and a message after {acknowledged} s"


class Daemon:
    """A facetd whose log holds its messages, too."""

    def __init__(self, bench, clip, name, settings):
        self.name, self.log, state = name, bench.work / f"facetd-{name}.log", bench.work / f"state-{name}"
        self.log.unlink(missing_ok=True)
        shutil.rmtree(state, ignore_errors=True)
        self.process = bench.start(
            [os.environ["FACETD"], "--source", clip, "--set", "clip.loop=true", "--set", "stats.interval=1s", "--print", *settings],
            f"facetd-{name}", XDG_STATE_HOME=str(state), FACET_CAMERA_NAME=name, FACET_MQTT_TOPIC=f"{name}/faces")

    def lines(self):
        return self.log.read_text(errors="replace").splitlines() if self.log.exists() else []

    def messages(self):
        return [json.loads(line) for line in self.lines() if line.startswith('{"topic"') and line.endswith("}")]

    def connections(self):
        """When it was accepted by a broker."""
        return [seconds(line.split()[0]) for line in self.lines() if "MQTT connected" in line]

    def losses(self, since):
        return [line for line in self.lines() if "MQTT disconnected" in line and seconds(line.split()[0]) > since]

    def counters(self):
        """Its statistics about messages, by their time."""
        return {seconds(m["payload"]["time"]): m["payload"]["messages"] for m in self.messages() if m["topic"].endswith("/stats")}

    def has_sent(self, since):
        """Whether the outbox was empty at some time after that, so that the fate of everything before is known."""
        return any(at > since and not counters["queued"] for at, counters in self.counters().items())

    def dropped(self):
        """How many events it gave up since its start: too old, or refused by the broker."""
        last = list(self.counters().values())[-1:]
        return sum(c["expired"] + c["dropped"].get("unconfirmed", 0) for c in last), sum(c["dropped"].get("rejected", 0) for c in last)

    def events(self):
        """The events it made: when, by id."""
        return {m["payload"]["id"]: seconds(m["payload"]["time"]) for m in self.messages()
                if m["topic"].rsplit("/", 1)[-1] in EVENTS}

    def address(self):
        """Where its connection leads."""
        sockets = set()
        for entry in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                sockets.add(os.readlink(entry))
        return next((address for inode, address in connections() if f"socket:[{inode}]" in sockets), None)

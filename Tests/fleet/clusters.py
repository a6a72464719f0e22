"""Kills the nodes of real clusters under real daemons, and counts what was lost. Started by `clusters`."""
import collections
import contextlib
import datetime
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

import paho.mqtt.client as mqtt
from examples import until
from nodes import ADDRESSES, PORT, Nodes, answers

EVENTS = {"enter", "leave", "smile", "blink", "eyes_closed"}
MAX_AGE = 10
LIMIT = 5


def swallow(address, how="-A"):
    """Has packets to and from an address vanish, as if its machine was switched off."""
    for end in ("-d", "-s"):
        subprocess.run(["iptables", "-w", how, "OUTPUT", end, address, "-j", "DROP"], check=True)


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


class Daemon:
    """A facetd whose log holds its messages, too."""

    def __init__(self, bench, clip, name, settings):
        self.log, state = bench.work / f"facetd-{name}.log", bench.work / f"state-{name}"
        self.log.unlink(missing_ok=True)
        shutil.rmtree(state, ignore_errors=True)
        self.process = bench.start(
            [os.environ["FACETD"], "--source", clip, "--set", "clip.loop=true", "--print", *settings], f"facetd-{name}",
            XDG_STATE_HOME=str(state), FACET_CAMERA_NAME=name, FACET_MQTT_TOPIC=f"{name}/faces")

    def lines(self):
        return self.log.read_text(errors="replace").splitlines() if self.log.exists() else []

    def connections(self):
        """When it was accepted by a broker."""
        return [seconds(line.split()[0]) for line in self.lines() if "MQTT connected" in line]

    def losses(self, since):
        return [line for line in self.lines() if "MQTT disconnected" in line and seconds(line.split()[0]) > since]

    def expired(self, since):
        """How many events it says were too old."""
        return sum(int(line.rsplit("count=", 1)[1]) for line in self.lines()
                   if "too old to be sent" in line and seconds(line.split()[0]) > since)

    def events(self):
        """The events it made: when, by id."""
        messages = [json.loads(line) for line in self.lines() if line.startswith('{"topic"') and line.endswith("}")]
        return {m["payload"]["id"]: seconds(m["payload"]["time"]) for m in messages
                if m["topic"].rsplit("/", 1)[-1] in EVENTS}

    def address(self):
        """Where its connection leads."""
        sockets = set()
        for entry in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                sockets.add(os.readlink(entry))
        for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "01" and f"socket:[{fields[9]}]" in sockets and fields[2].endswith(f":{PORT:04X}"):
                return socket.inet_ntoa(int(fields[2][:8], 16).to_bytes(4, "little"))
        return None


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Run(Nodes):
    def __init__(self, root, clip, rounds):
        super().__init__(None, root)
        self.clip, self.rounds, self.nodes, self.version, self.settings = clip, rounds, {}, mqtt.MQTTv5, []

    def start_node(self, node):
        self.nodes[node] = self.kind(node)

    def whole(self):
        """Waits until each node takes connections and messages from one reach the other ones."""
        def reaches():
            clients = []
            try:
                for address in ADDRESSES.values():
                    clients.append(Subscriber(address, self.version))
                mark = f"probe-{time.time()}"
                text = json.dumps({"id": mark, "faceID": 0, "time": mark})
                clients[0].client.publish("probe/faces/enter", text, 1)
                return until(lambda: all(c.ids[mark] for c in clients), 3) is not None
            except OSError:
                return False
            finally:
                for client in clients:
                    client.end()
        if until(reaches, 180) is None:
            sys.exit(f"{self.kind.__name__}: the cluster is not whole after 180 s; its logs are in {self.work}")

    # ------------------------------------------------------------ cases
    def daemons(self, *settings):
        return [Daemon(self, self.clip, f"camera{n}", [*settings, *self.settings]) for n in range(1, 5)]

    def cluster(self, kind, how):
        self.kind, name = getattr(self, kind), f"{kind}-{how}".strip("-")
        for node in ADDRESSES:
            self.start_node(node)
            if kind == "ejabberd":
                until(lambda: answers(ADDRESSES[node]), 60)
        self.whole()
        if how == "haproxy":
            self.haproxy()
        daemons = self.daemons(*{"list": ["--set", "mqtt.brokers=n1,n2,n3"], "haproxy": ["--mqtt", "mqtt://127.0.0.1"]}.get(
            how, ["--mqtt", "mqtt://brokers"]))
        for number in range(1, self.rounds + 1):
            if until(lambda: all(d.address() for d in daemons), 60) is None:
                return self.check(False, f"{name}: not all daemons connect")
            if number > 1:
                self.start_node(self.victim)
                self.whole()
            self.round(f"{name} {number}", daemons, how == "silent")

    def round(self, name, daemons, vanish):
        places = collections.Counter(d.address() for d in daemons)
        self.victim = victim = next((n for n, a in ADDRESSES.items() if a == places.most_common(1)[0][0]), 1)
        others = [n for n in ADDRESSES if n != victim]
        watcher = Subscriber(ADDRESSES[min(others, key=lambda n: places[ADDRESSES[n]])], self.version)
        began = time.time() + 1
        time.sleep(6)
        hit = [d for d in daemons if d.address() == ADDRESSES[victim]]
        killed = time.time()
        if vanish:
            swallow(ADDRESSES[victim])
        self.stop(self.nodes[victim], signal.SIGKILL)
        if not hit:
            # Behind a proxy: those that report a loss.
            time.sleep(3)
            hit = [d for d in daemons if d.losses(killed)]
        later = lambda d: next((at for at in d.connections() if at > killed), None)
        until(lambda: all(later(d) for d in hit), 120)
        back = [later(d) and later(d) - killed for d in hit]
        self.check(all(b and b <= (LIMIT + 5 if vanish else LIMIT) for b in back),
                   f"{name}: node {victim} {'vanished' if vanish else 'killed'}, {len(hit)} daemons back after "
                   + ", ".join(f"{b:.1f}" if b else "never" for b in back) + " s")
        self.judge(name, daemons, watcher, began)
        if vanish:
            swallow(ADDRESSES[victim], "-D")

    def judge(self, name, daemons, watcher, began):
        """Waits until each event of the round has arrived or is too old."""
        end = time.time() + 3
        time.sleep(3)
        made = {event for d in daemons for event, at in d.events().items() if began <= at <= end}
        missing = lambda: [event for event in made if not watcher.ids[event]]
        until(lambda: not missing(), MAX_AGE + 5)
        lost, old = missing(), sum(d.expired(began) for d in daemons)
        again = sum(n - 1 for n in watcher.ids.values())
        twice = [key for key, ids in watcher.times.items() if len(ids) > 1]
        watcher.end()
        self.check(made and len(lost) <= old and not twice and watcher.connects == 1,
                   f"{name}: {len(made)} events, {max(0, len(lost) - old)} lost, {old} expired, {again} sent again with their id, "
                   f"{len(twice)} with another one, the slowest after {watcher.delay:.1f} s"
                   + (", subscriber cut off" if watcher.connects > 1 else ""))

    def restart(self, name, start):
        """One broker that dies and comes back."""
        server = start()
        until(lambda: answers(ADDRESSES[1]), 120)
        daemons = self.daemons("--mqtt", "mqtt://n1")
        if until(lambda: all(d.connections() for d in daemons), 60) is None:
            return self.check(False, f"{name}: the daemons do not connect")
        for number in range(1, self.rounds + 1):
            time.sleep(5)
            self.stop(server, signal.SIGKILL)
            gone = time.time()
            time.sleep(4)
            server = start()
            until(lambda: answers(ADDRESSES[1]), 120)
            up = time.time()
            later = lambda d: next((at for at in d.connections() if at > gone), None)
            until(lambda: all(later(d) for d in daemons), 90)
            back = [later(d) and later(d) - up for d in daemons]
            self.check(all(b is not None and b <= LIMIT for b in back),
                       f"{name} {number}: port up after {up - gone:.1f} s, daemons back after that by "
                       + ", ".join("never" if b is None else f"{b:.1f}" for b in back) + " s")

    def black_hole(self):
        path = self.work / "plain.conf"
        path.write_text(f"listener {PORT} {ADDRESSES[1]}\nallow_anonymous true\n")
        swallow("127.0.0.9")
        for how, target in (("name with two addresses", ["--mqtt", "mqtt://holed"]),
                            ("mqtt.brokers", ["--set", "mqtt.brokers=hole,n1"])):
            server = self.mosquitto(path, "mosquitto")
            until(lambda: answers(ADDRESSES[1]))
            daemons, began = self.daemons(*target), time.time()
            until(lambda: all(d.connections() for d in daemons), 60)
            started = [seconds(next(line for line in d.lines() if "MQTT connecting" in line).split()[0]) for d in daemons]
            took = [d.connections()[0] - at for d, at in zip(daemons, started)]
            self.check(max(took) <= 3, f"black hole, {how}: connected after " + ", ".join(f"{t:.1f}" for t in took) + " s")
            time.sleep(3)
            self.stop(server, signal.SIGKILL)
            gone = time.time()
            server = self.mosquitto(path, "mosquitto")
            until(lambda: all(d.connections()[-1] > gone for d in daemons), 60)
            back = [d.connections()[-1] - gone for d in daemons]
            self.check(max(back) <= LIMIT, f"black hole, {how}: after a restart back within " + ", ".join(f"{t:.1f}" for t in back) + " s")
            self.end()


def main():
    root, old_root, clip, rounds, *names = sys.argv[1:]
    known = ["rabbitmq", "rabbitmq-list", "nats", "nats-list", "ejabberd", "ejabberd-list", "ejabberd-silent", "black-hole",
             "rabbitmq-3.10", "amqtt"]
    failures = 0
    for name in names or known:
        run = Run(old_root if name == "rabbitmq-3.10" and old_root else root, clip, int(rounds))
        kind, _, how = name.partition("-")
        try:
            if name == "black-hole":
                run.black_hole()
            elif name == "amqtt":
                command = [str(pathlib.Path(sys.executable).parent / "amqtt"), "-c", "/dev/stdin"]
                run.restart(name, lambda: run.start(command, "amqtt"))
            elif name == "rabbitmq-3.10":
                run.restart(name, lambda: run.rabbitmq(1, alone=True))
            else:
                if kind == "nats":
                    run.version = mqtt.MQTTv311
                if kind == "rabbitmq" and how != "list":
                    # What the documentation recommends; with the default, in the other case, a session is resumed in vain.
                    run.settings = ["--set", "mqtt.willDelay=0s"]
                run.cluster(kind, how)
        finally:
            run.end()
        failures += run.failures
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()

"""Kills the nodes of real clusters under real daemons, and counts what was lost. Started by `clusters`."""
import collections
import json
import pathlib
import signal
import subprocess
import sys
import time

import paho.mqtt.client as mqtt
from bench import until
from clients import PORT, Daemon, Probe, Subscriber, connections, seconds
from nodes import ADDRESSES, Nodes, answers

LIMIT = 5
# How much later than any other client a daemon may be.
BEHIND = 2.5


def swallow(address, how="-A"):
    """Has packets to and from an address vanish, as if its machine was switched off."""
    for end in ("-d", "-s"):
        subprocess.run(["iptables", "-w", how, "OUTPUT", end, address, "-j", "DROP"], check=True)


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
            if number > 1:
                self.start_node(self.victim)
                self.whole()
            if until(lambda: all(d.address() for d in daemons), 60) is None:
                return self.check(False, f"{name}: not all daemons connect")
            if how == "leader":
                places = self.serving()
                self.lead(max(places, key=places.get))
            self.round(f"{name} {number}", daemons, how == "silent")

    @staticmethod
    def serving():
        """How many clients, a proxy's connections among them, each node serves."""
        places = collections.Counter(address for _, address in connections())
        return {node: places[address] for node, address in ADDRESSES.items()}

    def round(self, name, daemons, vanish):
        places = self.serving()
        self.victim = victim = max(places, key=places.get)
        others = [n for n in ADDRESSES if n != victim]
        watcher = Subscriber(ADDRESSES[min(others, key=places.get)], self.version)
        began, given_up = time.time() + 1, [d.dropped() for d in daemons]
        time.sleep(6)
        hit = [d for d in daemons if d.address() == ADDRESSES[victim]]
        led = self.led(victim)
        killed = time.time()
        if vanish:
            swallow(ADDRESSES[victim])
        self.stop(self.nodes[victim], signal.SIGKILL)
        probe = Probe([ADDRESSES[n] for n in others], self.version)
        if not hit:
            # Behind a proxy: those that report a loss.
            time.sleep(3)
            hit = [d for d in daemons if d.losses(killed)]
        later = lambda d: next((at for at in d.connections() if at > killed), None)
        until(lambda: all(later(d) for d in hit), 120)
        until(lambda: len(probe.acknowledged) == len(others), 20)
        probe.ended.set()
        back = [later(d) and later(d) - killed for d in hit]
        # A cluster that accepts nobody while it elects a leader is not the daemons' fault.
        limit = max(LIMIT + 5 if vanish else LIMIT, min(probe.accepted.values(), default=0) + BEHIND)
        self.check(back and all(b and b <= limit for b in back),
                   f"{name}: node {victim}{led} {'vanished' if vanish else 'killed'}, {len(hit)} daemons back after "
                   + ", ".join(f"{b:.1f}" if b else "never" for b in back) + f" s; {probe.text()}")
        self.judge(name, daemons, watcher, began, given_up)
        if vanish:
            swallow(ADDRESSES[victim], "-D")

    def judge(self, name, daemons, watcher, began, given_up):
        """Waits until the outboxes are empty and what they sent has arrived."""
        end = time.time() + 3
        settled = until(lambda: all(d.has_sent(end) for d in daemons), 90) is not None
        made = {event: (d.name, at) for d in daemons for event, at in d.events().items() if began <= at <= end}
        missing = lambda: [event for event in made if not watcher.ids[event]]
        until(lambda: not missing(), 20)
        lost = missing()
        expired, rejected = (sum(d.dropped()[i] - before[i] for d, before in zip(daemons, given_up)) for i in (0, 1))
        again = sum(n - 1 for n in watcher.ids.values())
        twice = [key for key, ids in watcher.times.items() if len(ids) > 1]
        watcher.end()
        self.check(made and settled and len(lost) <= expired and not twice and watcher.connects == 1,
                   f"{name}: {len(made)} events, {len(lost)} did not arrive, {expired} were too old and {rejected} refused, "
                   f"{again} sent again with their id, {len(twice)} with another one, the slowest after {watcher.delay:.1f} s"
                   + ("" if settled else ", an outbox is not empty")
                   + (", subscriber cut off" if watcher.connects > 1 else ""))
        for event in lost if len(lost) > expired else []:
            camera, at = made[event]
            print(f"       {event} of {camera}, made {at - began:.1f} s after the round's begin", flush=True)

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
    known = ["rabbitmq", "rabbitmq-list", "nats", "nats-list", "nats-leader", "ejabberd", "ejabberd-list", "ejabberd-silent", "black-hole",
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

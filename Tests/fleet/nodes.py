"""Starts the nodes of real clusters from Debian trees, with the files of docs/examples where there are some."""
import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

from bench import Bench, until
from clients import PORT

ADDRESSES = {node: f"127.0.0.{node + 1}" for node in (1, 2, 3)}
# Where NATS keeps sessions, retained messages and messages under way.
STREAMS = ("$MQTT_sess", "$MQTT_rmsgs", "$MQTT_msgs")


def answers(address, port=PORT):
    with socket.socket() as s:
        s.settimeout(1)
        return s.connect_ex((address, port)) == 0


class Nodes(Bench):
    def erlang(self, node):
        home = self.inside / f"node{node}"
        (self.root / str(home)[1:]).mkdir(exist_ok=True)
        for place in (home, self.inside):
            cookie = self.root / str(place)[1:] / ".erlang.cookie"
            if not cookie.exists():
                cookie.write_text("facet")
                cookie.chmod(0o400)
        return home

    def rabbitmq(self, node, alone=False):
        home = self.erlang(node)
        changes = {"mqtt.listeners.tcp.default = 1883": f"mqtt.listeners.tcp.default = {ADDRESSES[node]}:{PORT}",
                   "mqtt.allow_anonymous = false": "mqtt.allow_anonymous = true"}
        if alone:
            changes["mqtt.max_session_expiry_interval_seconds"] = "# mqtt.max_session_expiry_interval_seconds"
        path = self.example("rabbitmq.conf", f"node{node}/rabbitmq.conf", changes=changes)
        if not alone:
            with open(path, "a") as file:
                file.write("\ncluster_formation.peer_discovery_backend = classic_config\n")
                file.writelines(f"cluster_formation.classic_config.nodes.{n} = rabbit{n}@n{n}\n" for n in ADDRESSES)
        (self.work / "plugins").write_text("[rabbitmq_mqtt].\n")
        environment = {
            "HOME": str(self.inside), "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq.conf"),
            "RABBITMQ_MNESIA_BASE": str(home), "RABBITMQ_LOG_BASE": str(home),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.inside / "plugins"), "RABBITMQ_NODENAME": f"rabbit{node}@n{node}",
            "RABBITMQ_DIST_PORT": str(25670 + node), "PATH": "/usr/lib/rabbitmq/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        }
        return self.start(["chroot", str(self.root), "/usr/lib/rabbitmq/bin/rabbitmq-server"], f"node{node}", **environment)

    def nats(self, node):
        path = self.example("nats.conf", f"nats{node}.conf", changes={
            "server_name: facet1": f"server_name: facet{node}", "listen: 127.0.0.1:4222": f"listen: {ADDRESSES[node]}:4222",
            "0.0.0.0:1883": f"{ADDRESSES[node]}:{PORT}", "/var/lib/nats": str(self.inside / f"nats{node}"),
            "max_ack_pending: 1000": "max_ack_pending: 1000\n    stream_replicas: 3",
        })
        routes = ", ".join(f"nats://{address}:6222" for address in ADDRESSES.values())
        with open(path, "a") as file:
            file.write(f"http: \"{ADDRESSES[node]}:8222\"\n")
            file.write(f"cluster {{ name: facet, listen: \"{ADDRESSES[node]}:6222\", routes: [{routes}] }}\n")
        return self.start([*self.foreign("nats-server"), "-c", str(self.inside / path.name)], f"node{node}")

    def leaders(self, node):
        """The number of the node that leads each stream, as a node of NATS knows them."""
        with urllib.request.urlopen(f"http://{ADDRESSES[node]}:8222/jsz?accounts=true&streams=true", timeout=5) as answer:
            accounts = json.load(answer).get("account_details", [])
        return {s["name"]: int(s["cluster"].get("leader", "facet0")[-1]) for a in accounts for s in a.get("stream_detail", [])}

    def led(self, node):
        """Which streams a node leads, in words; nothing for other brokers than NATS."""
        with contextlib.suppress(OSError):
            leaders = self.leaders(node)
            return ", the leader of " + (" ".join(s for s in STREAMS if leaders.get(s) == node) or "no stream") + ","
        return ""

    def lead(self, node):
        """Has a node of NATS lead the streams: asks for elections until it does."""
        def leads():
            leaders = self.leaders(node)
            others = [s for s in STREAMS if leaders.get(s) != node]
            with socket.create_connection((ADDRESSES[node], 4222)) as nats:
                nats.recv(4096)
                orders = "".join(f"PUB $JS.API.STREAM.LEADER.STEPDOWN.{s} 0\r\n\r\n" for s in others if leaders.get(s))
                nats.sendall(f"CONNECT {{}}\r\n{orders}PING\r\n".encode())
                nats.recv(4096)
            time.sleep(0.5)
            return not others
        if until(leads, 60) is None:
            sys.exit(f"NATS: node {node} does not become the leader")

    def ejabberd(self, node):
        home = self.erlang(node)
        (self.work / f"ejabberd{node}.yml").write_text(
            "hosts: [localhost]\nloglevel: warning\nauth_method: [anonymous]\nanonymous_protocol: login_anon\n"
            "allow_multiple_connections: true\n"
            f"listen: [{{port: {PORT}, ip: '{ADDRESSES[node]}', module: mod_mqtt}}]\nmodules: {{mod_mqtt: {{}}}}\n")
        environment = {"HOME": str(self.inside), "ERL_LIBS": "/usr/lib/x86_64-linux-gnu", "EJABBERD_LOG_PATH": str(home / "log"),
                       "EJABBERD_CONFIG_PATH": str(self.inside / f"ejabberd{node}.yml")}
        erl = ["chroot", str(self.root), "/usr/bin/erl", "-noinput"]
        server = self.start([*erl, "-sname", f"ejabberd{node}@n{node}", "-mnesia", "dir", f'"{home}/mnesia"', "-s", "ejabberd"],
                            f"node{node}", **environment)
        if node > 1 and not (self.work / f"joined{node}").exists():
            join = f"io:format(\"~p\", [rpc:call(ejabberd{node}@n{node}, ejabberd_cluster, join, [ejabberd1@n1])]), halt()."
            control = [*erl, "-sname", "control", "-eval", join]
            joins = lambda: "ok" == subprocess.run(control, env={**os.environ, **environment}, text=True, capture_output=True).stdout
            if until(lambda: answers(ADDRESSES[1]) and answers(ADDRESSES[node]) and joins(), 120) is None:
                sys.exit(f"ejabberd: node {node} did not join")
            (self.work / f"joined{node}").touch()
        return server

    def haproxy(self):
        self.example("haproxy.cfg", changes={
            "bind :1883": f"bind 127.0.0.1:{PORT}", "192.0.2.1:1883": f"{ADDRESSES[1]}:{PORT}",
            "server second 192.0.2.2:1883 backup": f"server second {ADDRESSES[2]}:{PORT}\n    server third {ADDRESSES[3]}:{PORT}",
        })
        self.start([*self.foreign("haproxy"), "-f", str(self.inside / "haproxy.cfg")], "haproxy")

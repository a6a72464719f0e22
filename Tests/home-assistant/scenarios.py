"""Drives one Home Assistant through restarts, kills and outages, and checks which automations fire. Started by `run`."""
import argparse
import asyncio
import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import aiohttp
import yaml
from aiohttp import web

# What the document's `for:` becomes: short, so that a false alarm is likelier and the run shorter.
HOLD = 4
# How long after a disturbance an automation that should not fire is given to do so.
GRACE = HOLD + 5


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Stage:
    """The camera: an MJPEG stream of a person who comes, smiles and goes when told, and that can be unplugged."""

    RATE = 20

    def __init__(self, frames):
        timeline = json.loads((frames / "timeline.json").read_text())
        jpegs = [p.read_bytes() for p in sorted(frames.glob("*.jpg"))]
        enter, smile = timeline["enter"]["frame"], timeline["smiles"][0]
        tilt = timeline["tilt"]["end"]["frame"]
        self.scenes = {
            "nobody": jpegs[: enter - 20],
            "somebody": jpegs[tilt + 4 : smile["start"]["frame"] - 2],
            "smile": jpegs[smile["start"]["frame"] - 2 : smile["end"]["frame"] + 6],
        }
        self.scene, self.once, self.port, self.runner = "nobody", [], free_port(), None

    def next(self, index):
        if self.once:
            return self.once.pop(0)
        scene = self.scenes[self.scene]
        # To and fro, so that the loop has no jump.
        position = index % (2 * len(scene) - 2)
        return scene[min(position, 2 * len(scene) - 2 - position)]

    async def stream(self, request):
        response = web.StreamResponse(headers={"Content-Type": "multipart/x-mixed-replace; boundary=frame"})
        await response.prepare(request)
        start, index = time.monotonic(), 0
        with contextlib.suppress(ConnectionError):
            while self.runner:
                jpeg = self.next(index)
                await response.write(
                    b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg) + jpeg + b"\r\n"
                )
                index += 1
                await asyncio.sleep(max(0, start + index / self.RATE - time.monotonic()))
        return response

    async def plug(self):
        application = web.Application()
        application.router.add_get("/camera.mjpg", self.stream)
        self.runner = web.AppRunner(application, shutdown_timeout=0.5)
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", self.port).start()

    async def unplug(self):
        runner, self.runner = self.runner, None
        if runner:
            await runner.cleanup()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/camera.mjpg"


class Program:
    """A process that is started again with the same command; its output is kept in one file."""

    def __init__(self, name, command, log, environment=None):
        self.name, self.command, self.log, self.environment, self.process = name, command, log, environment, None

    def start(self, *more):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command + list(more), stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.environment,
                start_new_session=True,
            )

    async def stop(self, how=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            deadline = time.monotonic() + 60
            while self.process.poll() is None:
                if time.monotonic() > deadline:
                    self.process.kill()
                await asyncio.sleep(0.05)


class HomeAssistant:
    def __init__(self, work, suite, version, broker):
        self.root, self.inside, self.version, self.broker = work / suite, f"/ha/{version}", version, broker
        self.config = self.root / self.inside[1:] / "config"
        self.port, self.token, self.session, self.counter = free_port(), None, None, 0
        self.log = work / version / "home-assistant.log"
        self.log.unlink(missing_ok=True)
        self.program = Program(
            "Home Assistant",
            ["chroot", str(self.root), f"{self.inside}/venv/bin/hass", "-c", f"{self.inside}/config"],
            self.log,
            {**os.environ, "PATH": f"{self.inside}/venv/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root"},
        )

    def configure(self):
        shutil.rmtree(self.config, ignore_errors=True)
        (self.config / "packages").mkdir(parents=True)
        desk = {
            action: [{"action": f"input_boolean.{action}", "target": {"entity_id": "input_boolean.desk"}}]
            for action in ("turn_on", "turn_off")
        }
        state = "{{ is_state('input_boolean.desk', 'on') }}"
        if tuple(map(int, self.version.split(".")[:2])) >= (2025, 8):
            light = {"template": [{"light": [{"name": "Desk", "state": state, **desk}]}]}
        else:
            light = {"light": [{"platform": "template", "lights": {"desk": {"value_template": state, **desk}}}]}
        (self.config / "configuration.yaml").write_text(yaml.safe_dump({
            "homeassistant": {"name": "Test", "time_zone": "UTC", "unit_system": "metric", "country": "NL"},
            "http": {"server_host": "127.0.0.1", "server_port": self.port},
            "api": None, "config": None,
            "logger": {"default": "warning", "logs": {"homeassistant.components.automation": "info"}},
            "recorder": {"commit_interval": 1},
            "automation": [],
            "input_boolean": {"desk": {"name": "Desk backing"}},
            **light,
        }).replace("config: null", "config:").replace("api: null", "api:")
            .replace("homeassistant:\n", "homeassistant:\n  packages: !include_dir_named packages\n", 1))

    def install(self, automations):
        for index, automation in enumerate(automations):
            (self.config / "packages" / f"document_{index}.yaml").write_text(automation)

    async def start(self):
        self.program.start()
        await self.wait_until_up()

    async def wait_until_up(self):
        for _ in range(1800):
            await asyncio.sleep(0.5)
            if self.program.process.poll() is not None:
                sys.exit(f"Home Assistant ended, see {self.log}")
            with contextlib.suppress(aiohttp.ClientError):
                if self.token:
                    if (await self.get("config")).get("state") == "RUNNING":
                        return
                else:
                    async with self.session.get(self.base + "/manifest.json") as response:
                        if response.status == 200:
                            return
        sys.exit(f"Home Assistant did not start, see {self.log}")

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def headers(self):
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    async def get(self, path):
        async with self.session.get(f"{self.base}/api/{path}", headers=self.headers) as response:
            return await response.json() if response.status == 200 else {}

    async def post(self, path, headers=None, **arguments):
        async with self.session.post(f"{self.base}/{path}", headers=headers or self.headers, **arguments) as response:
            return await response.json()

    async def command(self, must_be_known=True, **message):
        """One command over the WebSocket API."""
        async with self.session.ws_connect(self.base + "/api/websocket", max_msg_size=0) as ws:
            await ws.receive_json()
            await ws.send_json({"type": "auth", "access_token": self.token})
            await ws.receive_json()
            await ws.send_json({"id": 1, **message})
            answer = await ws.receive_json()
            if must_be_known and not answer.get("success"):
                sys.exit(f"Home Assistant refused {message}: {answer}")
            return answer.get("result")

    async def onboard(self):
        """Makes a user and a token, and connects to the broker."""
        client = self.base + "/"
        await asyncio.sleep(10)  # the default integrations: the onboarding has no sign of their end
        user = dict(client_id=client, name="t", username="t", password="tttttttt", language="en")
        code = (await self.post("api/onboarding/users", json=user))["auth_code"]
        grant = dict(client_id=client, grant_type="authorization_code", code=code)
        self.token = (await self.post("auth/token", data=grant))["access_token"]
        await self.post("api/onboarding/analytics", json={})
        await self.post("api/onboarding/integration", json=dict(client_id=client, redirect_uri=client))
        self.token = await self.command(type="auth/long_lived_access_token", client_name="t", lifespan=365)
        # Releases of late 2026 go back to the default port after five minutes unless the one in use is confirmed.
        await self.command(must_be_known=False, type="http/config/promote")
        flow = await self.post("api/config/config_entries/flow", json=dict(handler="mqtt", show_advanced_options=False))
        path, data = f"api/config/config_entries/flow/{flow['flow_id']}", dict(broker="127.0.0.1", port=self.broker)
        flow = await self.post(path, json=data)
        if "other_settings" in flow.get("errors", {}):  # releases of late 2026
            flow = await self.post(path, json={**data, "other_settings": {"set_client_cert": False, "set_ca_cert": "off"}})
        if flow.get("type") != "create_entry":
            sys.exit(f"MQTT was not set up: {flow}")

    async def call(self, service, entity):
        await self.post("api/services/" + service.replace(".", "/"), json=dict(entity_id=entity))

    async def state(self, entity):
        return (await self.get(f"states/{entity}")).get("state")

    def fired(self):
        """How often each automation has run its actions, by its log line."""
        text = self.log.read_text(errors="replace")
        return collections.Counter(
            re.findall(r"\[homeassistant\.components\.automation\.(\w+)\] [^:]*: Running automation actions", text)
        )


class Run:
    SMILES = ("lamp_on_a_smile", "lamp_on_a_smile_that_is_certain", "lamp_on_a_smile_by_its_entity")
    OFF = "lamp_off_when_nobody_is_there"
    TROUBLE = "say_that_the_camera_is_in_trouble"
    OCCUPANCY, COUNT, PROBLEM = "binary_sensor.front_occupancy", "sensor.front_faces", "binary_sensor.front_camera_problem"

    def __init__(self, options):
        # event.received came with 2026.7.
        if tuple(map(int, options.version.split(".")[:2])) < (2026, 7):
            self.SMILES = self.SMILES[:2]
        work = pathlib.Path(options.work)
        self.work, self.failures, self.known = work / options.version, 0, collections.Counter()
        self.document = pathlib.Path(options.document).read_text()
        self.stage = Stage(work / "frames")
        self.port = free_port()
        state = self.work / "state"
        for old in (state, self.work / "broker"):
            shutil.rmtree(old, ignore_errors=True)
            old.mkdir(parents=True)
        configuration = self.work / "mosquitto.conf"
        configuration.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\npersistence true\n"
            f"persistence_location {self.work}/broker/\n"
        )
        self.broker = Program("the broker", [shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin"), "-c",
                                             str(configuration)], self.work / "mosquitto.log")
        self.settings = self.work / "facetd.yaml"
        self.write_zones("desk", "corner")
        self.daemon = Program(
            "facetd",
            [options.facetd, "--source", self.stage.url, "--mqtt", f"mqtt://127.0.0.1:{self.port}",
             "--set", "camera.name=front", "--set", "stats.interval=1s",
             "--config", str(self.settings), "--set", "publish=metadata,enter,leave,smile,smile_end,blink,eyes_closed,eyes_open,"
             "mouth_open,look,look_away,zone_enter,zone_leave,sign,count,zones,today",
             "--set", f"preview.enabled={str(self.has_preview(options.version)).lower()}"],
            self.work / "facetd.log", {**os.environ, "XDG_STATE_HOME": str(state)},
        )
        self.home = HomeAssistant(work, options.suite, options.version, self.port)
        self.version, self.only = options.version, set(filter(None, options.only.split(",")))
        for log in (self.daemon.log, self.broker.log):
            log.unlink(missing_ok=True)

    @staticmethod
    def has_preview(version):
        """Camera entities of 2024 need a numpy that has no wheel for Debian 13's Python."""
        return int(version.split(".")[0]) >= 2025

    # ------------------------------------------------------------ checks
    def check(self, holds, text):
        print(f"{'ok    ' if holds else 'not ok'} {self.version} {text}", flush=True)
        self.failures += not holds

    def expect(self, what, **due):
        """Compares what has fired since the last call with what had a cause."""
        fired = self.home.fired()
        news, self.known = fired - self.known, fired
        due = collections.Counter({name: count for name, count in due.items() if count})
        difference = "" if news == due else f": fired {dict(news)}, had a cause {dict(due)}"
        self.check(news == due, what + difference)

    async def until(self, condition, what, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with contextlib.suppress(aiohttp.ClientError):
                if await condition():
                    return True
            await asyncio.sleep(0.2)
        self.check(False, f"waited {seconds} s for {what}")
        return False

    async def until_state(self, entity, *states, seconds=60):
        async def holds():
            return await self.home.state(entity) in states
        return await self.until(holds, f"{entity} to be {' or '.join(map(str, states))}", seconds)

    # ------------------------------------------------------------ causes
    async def comes(self):
        self.stage.scene = "somebody"
        await self.until_state(self.OCCUPANCY, "on")

    async def smiles(self):
        before = self.home.fired()
        self.stage.once = list(self.stage.scenes["smile"])

        async def all_fired():
            return all(self.home.fired()[name] > before[name] for name in self.SMILES)
        await self.until(all_fired, "the automations on a smile", 15)
        await asyncio.sleep(1.5)

    async def goes(self):
        self.stage.scene = "nobody"
        await self.until_state(self.OCCUPANCY, "off")
        await asyncio.sleep(HOLD + 2)

    async def causes(self, name):
        """Somebody who is there smiles and goes; afterwards nobody is there."""
        await self.comes()
        await asyncio.sleep(1)
        self.expect(f"{name}: nothing fires while somebody is there again")
        await self.smiles()
        self.expect(f"{name}: a smile afterwards fires each of its automations once", **dict.fromkeys(self.SMILES, 1))
        await self.goes()
        self.expect(f"{name}: who goes afterwards switches the lamp off once", **{self.OFF: 1})

    # ------------------------------------------------------------ disturbances
    async def restart(self, program, how, pause=0.5):
        await program.stop(how)
        await asyncio.sleep(pause)
        program.start(*(self.discovery(True) if program is self.daemon else []))
        if program is self.home.program:
            await self.home.wait_until_up()

    def discovery(self, is_on):
        return ["--set", f"homeassistant.discovery={'true' if is_on else 'false'}"]

    async def set_disabled(self, is_disabled):
        for entity in self.entities:
            await self.home.command(
                type="config/entity_registry/update", entity_id=entity, disabled_by="user" if is_disabled else None
            )

    async def entities_off_and_on(self):
        self.entities = [
            e["entity_id"] for e in await self.home.command(type="config/entity_registry/list")
            if e["platform"] == "mqtt" and not e["disabled_by"]
        ]
        await self.set_disabled(True)
        await self.until_state(self.OCCUPANCY, None)
        await self.set_disabled(False)
        # Home Assistant reloads the integration by itself, 30 s after the last change.
        await self.until_state(self.OCCUPANCY, "on", "off", seconds=90)

    async def discovery_off_and_on(self):
        await self.daemon.stop()
        self.daemon.start(*self.discovery(False))
        await self.until_state(self.OCCUPANCY, None)
        await asyncio.sleep(2)
        await self.daemon.stop()
        self.daemon.start(*self.discovery(True))

    async def detection_off_and_on(self):
        await self.home.call("switch.turn_off", "switch.front_detection")
        await self.until_state(self.OCCUPANCY, "unavailable")
        await asyncio.sleep(GRACE)
        await self.home.call("switch.turn_on", "switch.front_detection")

    async def smile_while_away(self):
        await self.home.program.stop()
        self.stage.once = list(self.stage.scenes["smile"])
        await asyncio.sleep(6)
        await self.home.start()

    async def smile_without_broker(self):
        """Longer than an event is delivered afterwards."""
        await self.broker.stop()
        self.stage.once = list(self.stage.scenes["smile"])
        await asyncio.sleep(14)
        self.broker.start()

    AREAS = {"desk": [0, 0, 1, 1], "corner": [0, 0, 0.05, 0.05]}

    def write_zones(self, *names):
        self.settings.write_text(yaml.safe_dump({"zones": {name: {"area": self.AREAS[name]} for name in names}}))

    async def zones_change(self):
        """Zones have entities of their own, which come and go with the settings."""
        is_there = await self.home.state(self.OCCUPANCY) == "on"
        await self.until_state("binary_sensor.front_desk", "on" if is_there else "off")
        await self.until_state("sensor.front_desk_faces", "1" if is_there else "0")
        self.check(await self.home.state("binary_sensor.front_corner") == "off", "nobody is in the corner")
        self.check(await self.home.state("event.front_zone_entered") not in (None, "unknown"), "the zone was entered")
        switch = "switch.front_desk_detection"
        await self.home.call("switch.turn_off", switch)
        await self.until_state(switch, "off")
        await self.until_state("binary_sensor.front_desk", "unknown")
        await self.home.call("switch.turn_on", switch)
        await self.until_state(switch, "on")
        await self.until_state("binary_sensor.front_desk", "on" if is_there else "off")
        self.write_zones("desk")
        self.daemon.process.send_signal(signal.SIGHUP)
        await self.until_state("binary_sensor.front_corner", None)
        self.write_zones("desk", "corner")
        self.daemon.process.send_signal(signal.SIGHUP)
        await self.until_state("binary_sensor.front_corner", "off")

    async def unplugged(self):
        await self.stage.unplug()
        await self.until_state(self.PROBLEM, "on", seconds=30)
        self.check(await self.home.state(self.OCCUPANCY) == "unavailable", "camera lost: occupancy is unavailable")
        self.check(await self.home.state(self.COUNT) == "unavailable", "camera lost: the count is unavailable")
        self.check(await self.home.state("binary_sensor.front_desk") == "unavailable", "camera lost: zones are unavailable")
        await asyncio.sleep(GRACE)
        await self.stage.plug()
        await self.until_state(self.PROBLEM, "off", seconds=30)

    def disturbances(self):
        term, kill = signal.SIGTERM, signal.SIGKILL
        home, broker, daemon = self.home.program, self.broker, self.daemon
        return {
            "home-restart": (lambda: self.restart(home, term), {}),
            "home-kill": (lambda: self.restart(home, kill), {}),
            "broker-restart": (lambda: self.restart(broker, term, 3), {}),
            "broker-kill": (lambda: self.restart(broker, kill, 3), {}),
            "daemon-restart": (lambda: self.restart(daemon, term), {}),
            "daemon-kill": (lambda: self.restart(daemon, kill), {}),
            "daemon-gone": (lambda: self.restart(daemon, kill, 12), {}),
            "entities": (self.entities_off_and_on, {}),
            "discovery": (self.discovery_off_and_on, {}),
            "detection": (self.detection_off_and_on, {}),
            "zones": (self.zones_change, {}),
            "unplug": (self.unplugged, {self.TROUBLE: 1}),
            "missed-smile": (self.smile_while_away, {}),
            "late-smile": (self.smile_without_broker, {}),
        }

    async def scenarios(self):
        for name, (disturb, due) in self.disturbances().items():
            if self.only and name not in self.only:
                continue
            for somebody in (True, False):
                if name.endswith("-smile") and not somebody:
                    continue
                title = f"{name}, {'somebody' if somebody else 'nobody'} there"
                if somebody:
                    await self.comes()
                    await asyncio.sleep(1)
                await disturb()
                await self.until_state(self.OCCUPANCY, "on" if somebody else "off", seconds=90)
                await asyncio.sleep(GRACE)
                self.expect(f"{title}: nothing fires without its cause", **due)
                await self.causes(title)

    # ------------------------------------------------------------ the whole run
    def automations(self, device):
        blocks = [b for b in re.findall(r"```yaml\n(.*?)```", self.document, re.S) if b.startswith("automation:")]
        for block in blocks:
            if "event.received" in block and len(self.SMILES) == 2:
                continue
            yield re.sub(r'for: "[0-9:]+"', f'for: "00:00:0{HOLD}"', block.replace("DEVICE_ID", device))

    async def run(self):
        async with aiohttp.ClientSession() as self.home.session:
            try:
                await self.prepare()
                await self.scenarios()
            finally:
                for program in (self.home.program, self.daemon, self.broker):
                    await program.stop()
                await self.stage.unplug()
        errors = [line for line in self.home.log.read_text(errors="replace").splitlines() if "front" in line
                  and re.search(r"WARNING|ERROR", line)]
        self.check(not errors, f"Home Assistant's log has no warning about the device {errors[:3]}")
        print(f"{self.version}: {self.failures} checks failed", flush=True)
        return self.failures

    async def come_up(self):
        """Starts everything; the device's id in Home Assistant."""
        await self.stage.plug()
        self.broker.start()
        await asyncio.sleep(1)
        self.daemon.start(*self.discovery(True))
        self.home.configure()
        await self.home.start()
        await self.home.onboard()
        await self.until_state(self.OCCUPANCY, "off", seconds=90)
        devices = await self.home.command(type="config/device_registry/list")
        return next(d["id"] for d in devices if d["name"] == "front")

    async def prepare(self):
        device = await self.come_up()
        triggers = await self.home.command(type="device_automation/trigger/list", device_id=device)
        types = {t["type"] for t in triggers if t["domain"] == "mqtt"}
        self.check(types == {"enter", "leave", "smile", "smile_end", "blink", "eyes_closed", "eyes_open", "mouth_open", "look", "look_away", "zone_enter", "zone_leave", "sign"}, f"device triggers: {sorted(types)}")
        named = set(re.findall(r"`((?:event|binary_sensor|sensor|switch|camera)\.front_\w+)`", self.document))
        if not self.has_preview(self.version):
            named.discard("camera.front_preview")

        async def exist():
            return not named - {e["entity_id"] for e in await self.home.command(type="config/entity_registry/list")}
        # At its first start Home Assistant installs what camera entities need.
        if await self.until(exist, f"the document's entities {sorted(named)}", 180):
            self.check(True, "the document's entities exist")
        self.home.install(self.automations(device))
        await self.home.program.stop()
        await self.home.start()
        await self.until_state(self.OCCUPANCY, "off", seconds=90)
        states = {s["entity_id"]: s["state"] for s in await self.home.get("states")}
        installed = {name.partition(".")[2] for name, state in states.items()
                     if name.startswith("automation.") and state == "on"}
        self.check(installed == {*self.SMILES, self.OFF, self.TROUBLE}, f"automations: {sorted(installed)}")
        for entity in sorted(e for e in states if ".front_" in e):
            print(f"       {entity} {states[entity]}")
        await self.causes("at first")


def arguments():
    parser = argparse.ArgumentParser()
    for name in ("work", "suite", "version", "facetd", "document", "only"):
        parser.add_argument("--" + name, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(min(asyncio.run(Run(arguments()).run()), 1))

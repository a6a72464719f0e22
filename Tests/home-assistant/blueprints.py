"""Imports the blueprints of docs/examples/blueprints into a real Home Assistant, and lets a clip fire each. Started by `run`."""
import asyncio
import pathlib
import re
import sys

import yaml
from aiohttp import web

from scenarios import HOLD, Run, arguments, free_port

BLUEPRINTS = pathlib.Path("docs/examples/blueprints")
# What stands in for a lamp, a lock, a screen, a microphone.
THINGS = ["smiled", "smiling", "locked", "screen", "microphone"]


def switch_on(thing):
    return [{"action": "input_boolean.turn_on", "target": {"entity_id": f"input_boolean.{thing}"}}]


def lamp(thing):
    return {"entity_id": f"input_boolean.{thing}"}


class Blueprints(Run):
    INPUTS = {
        "smile-lamp": lambda device: {"camera": device, "lamp": lamp("smiled"), "minutes": 0.05},
        "smile-lamp-while": lambda _: {"smiling": "binary_sensor.front_smiling_now", "lamp": lamp("smiling")},
        "lock-when-i-leave": lambda _: {"occupancy": Run.OCCUPANCY, "seconds": HOLD, "lock": switch_on("locked")},
        "wake-tablet": lambda _: {"looked_at": "binary_sensor.front_looked_at", "screen": lamp("screen"), "seconds": 3},
        "look-then-talk": lambda device: {"camera": device, "listen": switch_on("microphone"), "seconds": 5},
    }

    async def load(self):
        """As the button "Import blueprint" does, from a web server."""
        application = web.Application()
        application.router.add_static("/", BLUEPRINTS)
        runner = web.AppRunner(application)
        await runner.setup()
        port = free_port()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        for path in sorted(BLUEPRINTS.glob("*.yaml")):
            found = await self.home.command(type="blueprint/import", url=f"http://127.0.0.1:{port}/{path.name}")
            self.check(not found["validation_errors"], f"{path.name} is imported {found['validation_errors'] or ''}")
            saved = f"facet/{path.stem}"
            await self.home.command(type="blueprint/save", domain="automation", path=saved, yaml=found["raw_data"],
                                    source_url=f"http://127.0.0.1:{port}/{path.name}")
        await runner.cleanup()

    async def prepare(self):
        device = await self.come_up()
        await self.load()
        self.names = {path.stem: path.stem.replace("-", "_") for path in BLUEPRINTS.glob("*.yaml")}
        automations = [
            {"alias": name, "use_blueprint": {"path": f"facet/{stem}.yaml", "input": self.INPUTS[stem](device)}}
            for stem, name in self.names.items()
        ]
        self.home.install([
            yaml.safe_dump({"automation": automations}),
            yaml.safe_dump({"input_boolean": {thing: {"name": thing} for thing in THINGS}}),
        ])
        await self.home.program.stop()
        await self.home.start()
        await self.until_state(self.OCCUPANCY, "off", seconds=90)
        states = {s["entity_id"]: s["state"] for s in await self.home.get("states")}
        wrong = [name for name in self.names.values() if states.get(f"automation.{name}") != "on"]
        self.check(not wrong, f"the blueprints make automations {wrong or ''}")

    async def becomes(self, thing, state, what):
        if await self.until_state(f"input_boolean.{thing}", state, seconds=30):
            self.check(True, what)

    async def stays(self, what, **states):
        for thing, state in states.items():
            self.check(await self.home.state(f"input_boolean.{thing}") == state, f"{what}: {thing} is {state}")

    # ------------------------------------------------------------ the card
    async def check_card(self):
        card = re.search(r"```yaml\n(type: .*?)```", self.document, re.S)[1]
        named = re.findall(r"\b\w+\.front_\w+", card)

        async def exist():
            return all([await self.home.state(entity) not in (None, "unavailable") for entity in named])
        # At its first start Home Assistant installs what camera entities need.
        if await self.until(exist, f"the card's entities {named}", 180):
            self.check(named, "the card's entities are there")

    async def scenarios(self):
        await self.comes()
        await asyncio.sleep(2)
        await self.stays("somebody who comes", smiled="off", smiling="off", locked="off")
        await self.becomes("screen", "on", "wake-tablet: a look wakes the screen")
        self.check(await self.home.state("binary_sensor.front_looked_at") == "on", "binary_sensor.front_looked_at is on")
        await self.becomes("microphone", "on", "look-then-talk: a look opens the microphone")
        self.stage.once = list(self.stage.scenes["smile"])
        await self.becomes("smiling", "on", "smile-lamp-while: on with the smile")
        await self.becomes("smiled", "on", "smile-lamp: on with the smile")
        await self.becomes("smiling", "off", "smile-lamp-while: off with its end")
        await self.becomes("smiled", "off", "smile-lamp: off after its time")
        fired = self.home.fired()
        self.check(fired["smile_lamp"] == 1, f"smile-lamp: fired once ({fired['smile_lamp']})")
        # A restart, and a camera that is lost while somebody is there: no cause for anything.
        await self.restart(self.home.program, 15)
        await self.until_state(self.OCCUPANCY, "on", seconds=90)
        await self.unplugged()
        await self.until_state(self.OCCUPANCY, "on", seconds=60)
        await asyncio.sleep(HOLD + 2)
        await self.stays("after a restart and a camera that was unplugged", smiled="off", smiling="off", locked="off")
        await self.goes()
        await self.becomes("locked", "on", "lock-when-i-leave: locks when nobody is there")
        await self.becomes("screen", "off", "wake-tablet: off when nobody looks")
        for event in ("face_enters", "face_leaves", "smile", "smile_ends", "look", "look_away"):
            state = await self.home.state(f"event.front_{event}")
            self.check(re.match(r"\d{4}-", state or ""), f"event.front_{event} has fired: {state}")
        await self.check_card()


if __name__ == "__main__":
    sys.exit(min(asyncio.run(Blueprints(arguments()).run()), 1))

"""Plays a day at a desk and checks that Home Assistant's occupancy is on while somebody is there. Started by `run`."""
import asyncio
import datetime
import json
import pathlib
import sys

import aiohttp

from scenarios import Run, arguments

# How long after somebody has come or gone the occupancy may change, in seconds.
COMES, GOES = 1.5, 2.0
# The clip's frames are so far apart: it tells when somebody has gone to within one of them.
FRAME = 0.1


def seconds(time):
    return datetime.datetime.fromisoformat(time).timestamp()


class Day(Run):
    """The clip's turned heads are unseen for up to 20 s each, and held; who leaves is gone."""

    def __init__(self, options):
        super().__init__(options)
        self.directory = pathlib.Path(options.work) / "day"
        self.visits = json.loads((self.directory / "times.json").read_text())
        command = self.daemon.command
        command[command.index("--source") + 1] = str(self.directory / "day.mp4")

    async def run(self):
        async with aiohttp.ClientSession() as self.home.session:
            try:
                self.broker.start()
                self.home.configure()
                await self.home.start()
                await self.home.onboard()
                await self.play()
            finally:
                for program in (self.home.program, self.daemon, self.broker):
                    await program.stop()
        print(f"{self.version}: {self.failures} checks failed", flush=True)
        return self.failures

    async def play(self):
        changes, last = [], None
        # Its standard output is the messages.
        self.daemon.start(*self.discovery(True), "--print")
        while self.daemon.process.poll() is None:
            state = await self.home.get(f"states/{self.OCCUPANCY}")
            if state and state["state"] != last:
                last = state["state"]
                changes.append((seconds(state["last_changed"]), last))
            await asyncio.sleep(0.05)
        messages = [json.loads(line) for line in self.daemon.log.read_text().splitlines() if line.startswith("{")]
        enter = next(m["payload"] for m in messages if m["topic"] == "faces/front/enter" or m["topic"] == "faces/enter")
        start = seconds(enter["time"]) - enter["mediaTime"]
        changes = [(time - start, state) for time, state in changes if state in ("on", "off")]
        print("       occupancy: " + ", ".join(f"{state} {time:.1f}" for time, state in changes))
        on = [time for time, state in changes if state == "on"]
        off = [time for time, state in changes if state == "off" and time > on[0]]
        self.check(len(on) == len(self.visits), f"occupancy went on {len(on)} times in {len(self.visits)} visits")
        for number, visit in enumerate(self.visits):
            gone = visit["end"] - FRAME
            inside = [time for time, _ in changes if visit["begin"] + COMES < time < gone]
            self.check(not inside, f"visit {number + 1}: occupancy does not change while somebody is there {inside}")
            late = min((time - visit["end"] for time in off if time >= gone), default=None)
            holds = late is not None and late <= GOES
            self.check(holds, f"visit {number + 1}: occupancy goes off after {late and round(late, 1)} s, at most {GOES}")
        today = [m["payload"] for m in messages if m["topic"].endswith("/today")][-1]
        self.check(today["visits"] == len(self.visits), f"today says {today['visits']} visits of {len(self.visits)}")


if __name__ == "__main__":
    sys.exit(min(asyncio.run(Day(arguments()).run()), 1))

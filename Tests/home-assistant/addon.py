"""Plays Home Assistant's Supervisor to the app's entry script, and checks what it does. Started by `addon`."""
import argparse
import http.client
import http.server
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.parse

import yaml

import files

SUPERVISOR, BROKER, ADD_ON, OTHER = "172.30.32.2", "172.30.33.2", "172.30.33.4", "172.30.33.5"
CORE = ("127.0.0.1", 8123)
TOKEN, INGRESS, SESSION, PASSWORD = (secrets.token_hex(16) for _ in range(4))
USER = "add ons@home"

failures = 0


def check(holds, words):
    global failures
    failures += not holds
    print("ok    " if holds else "not ok", words, flush=True)


def until(condition, seconds=30):
    """Looks until a condition holds; its value, or nothing after that time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.05)
    return None


class Proxy(http.server.BaseHTTPRequestHandler):
    """Hands requests on as Home Assistant and its Supervisor do: all headers but those of the body's transfer."""

    protocol_version = "HTTP/1.1"
    BODY = {"content-length", "transfer-encoding", "content-encoding", "connection"}

    def log_message(self, *_):
        pass

    def answer(self, status, body, content_type="application/json", **headers):
        self.send_response(status)
        for name, value in {"Content-Type": content_type, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def hand_on(self, source, host, port, path):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        connection = http.client.HTTPConnection(host, port, source_address=(source, 0))
        connection.putrequest(self.command, path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in self.BODY:
                connection.putheader(name, value)
        connection.putheader("X-Forwarded-For", self.client_address[0])
        connection.putheader("Content-Length", str(len(body)))
        try:
            connection.endheaders(body)
            response = connection.getresponse()
        except OSError:
            return self.answer(502, b"")
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in self.BODY:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            while part := response.read1(65536):
                self.wfile.write(part)
                self.wfile.flush()
        except (OSError, http.client.HTTPException):
            pass
        connection.close()

    def do_POST(self):
        self.do_GET()


class Supervisor(Proxy):
    service = None
    refused = []

    def do_GET(self):
        if self.path == "/services/mqtt":
            if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                Supervisor.refused.append(self.headers.get("Authorization"))
                return self.answer(401, b'{"result": "error", "message": "unknown token"}')
            if not self.service:
                return self.answer(400, b'{"result": "error", "message": "Service not enabled"}')
            return self.answer(200, json.dumps({"result": "ok", "data": self.service}).encode())
        if self.path.startswith(f"/ingress/{INGRESS}/"):
            if f"ingress_session={SESSION}" not in self.headers.get("Cookie", ""):
                return self.answer(401, b"")
            return self.hand_on(SUPERVISOR, ADD_ON, 8099, self.path.removeprefix(f"/ingress/{INGRESS}"))
        self.answer(404, b"")


class Core(Proxy):
    """Home Assistant: a page with a frame of the add-on's."""

    PREFIX = f"/api/hassio_ingress/{INGRESS}/"

    def do_GET(self):
        if self.path == "/":
            page = f'<!doctype html><title>Home Assistant</title><iframe src="{self.PREFIX}" width="1200" height="760"></iframe>'
            cookie = f"ingress_session={SESSION}; path=/api/hassio_ingress/; SameSite=Strict"
            return self.answer(200, page.encode(), "text/html", **{"Set-Cookie": cookie})
        if self.path.startswith(self.PREFIX):
            return self.hand_on("127.0.0.1", SUPERVISOR, 80, f"/ingress/{INGRESS}/" + self.path.removeprefix(self.PREFIX))
        self.answer(404, b"")


def serve(handler, address):
    server = http.server.ThreadingHTTPServer(address, handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()


class Broker:
    def __init__(self, work):
        subprocess.run(["mosquitto_passwd", "-c", "-b", work / "passwords", USER, PASSWORD], check=True)
        (work / "broker.conf").write_text(
            f"listener 1883 {BROKER}\nallow_anonymous false\npassword_file {work}/passwords\nuser root\n")
        self.command, self.process = ["mosquitto", "-c", str(work / "broker.conf")], None

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        self.process.kill()
        self.process.wait()


class Subscriber:
    """All that is published but pictures, of which only the topics; connects again by itself."""

    def __init__(self, work):
        self.messages, self.pictures = [], 0
        options = ["-h", BROKER, "-u", USER, "-P", PASSWORD, "-F", "%r %t %p"]
        topics = ["-t", "+/faces/+", "-t", "+/faces/detect/state", "-t", "homeassistant/device/+/config"]
        # mosquitto_sub ends if its first connection is refused.
        while True:
            self.process = subprocess.Popen(
                ["mosquitto_sub", *options, *topics], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if until(lambda: self.process.poll() is not None, 0.5) is None:
                break
        self.second = subprocess.Popen(
            ["mosquitto_sub", *options[:-1], "%t %l", "-t", "+/faces/preview/jpeg"], stdout=subprocess.PIPE)
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.count, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            retained, topic, payload = line.decode().rstrip("\n").split(" ", 2)
            self.messages.append((topic, json.loads(payload) if payload[:1] in "{[" else payload, retained == "1"))

    def count(self):
        for _ in self.second.stdout:
            self.pictures += 1

    def has(self, topic, since=0, seconds=30, **values):
        def find():
            for name, payload, _ in self.messages[since:]:
                if name == topic and all(isinstance(payload, dict) and payload.get(k) == v for k, v in values.items()):
                    return payload
        return until(find, seconds)


class AddOn:
    def __init__(self, root, work):
        self.root, self.log, self.process = root, work / "add-on.log", None

    def start(self, **options):
        """A new container: its volumes are kept, everything else is new."""
        shutil.rmtree(self.root / "tmp")
        (self.root / "tmp").mkdir(mode=0o1777)
        (self.root / "tmp").chmod(0o1777)
        (self.root / "data/options.json").write_text(json.dumps({"preview": False, **options}))
        environment = {"PATH": "/programs:/usr/sbin:/usr/bin:/sbin:/bin", "SUPERVISOR_TOKEN": TOKEN, "HOME": "/root"}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["chroot", str(self.root), "/add-on/run"], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @property
    def output(self):
        return self.log.read_text(errors="replace")

    def says(self, text, seconds=30):
        return until(lambda: text in self.output, seconds)

    def ends(self, seconds=30):
        """The exit status, once nothing of it runs any more."""
        until(lambda: self.process.poll() is not None, seconds)
        return self.process.poll() if until(lambda: not self.processes(), 5) else None

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.ends(20)

    def processes(self):
        found = {}
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(entry / "root") == str(self.root):
                    found[int(entry.name)] = (
                        (entry / "cmdline").read_bytes().decode().split("\0"), (entry / "environ").read_bytes().decode(),
                        entry.stat().st_uid)
            except OSError:
                continue
        return found

    def named(self, name):
        return [pid for pid, (command, _, _) in self.processes().items() if command[0] == name]


def repository(work):
    """What packaging/home-assistant/make makes, of packages for both architectures with nothing in them."""
    for deb, suite in (("amd64", "amd64-bookworm"), ("arm64", "arm64-bookworm")):
        for name, architecture in (("facetd", deb), ("facet", deb), ("facet-data", "all")):
            control = work / suite / name / "DEBIAN"
            control.mkdir(parents=True)
            (control / "control").write_text(f"Package: {name}\nVersion: 0.4.0-1~deb12\nArchitecture: {architecture}\n"
                                             "Maintainer: a <a@a.invalid>\nDescription: a\n")
            subprocess.run(["dpkg-deb", "--build", control.parent, work / suite], check=True, stdout=subprocess.DEVNULL)
    packages = [work / "amd64-bookworm", work / "arm64-bookworm"]
    make = lambda *options: subprocess.run(["packaging/home-assistant/make", "--out", work / "made", *options, *packages],
                                           check=True, stdout=subprocess.DEVNULL)
    make("--url", "https://example.org/a/facet-app", "--image", "ghcr.io/a/facet")
    published = list(files.repository_problems(work / "made"))
    check(not published, f"a published repository keeps Home Assistant's rules {published or ''}")
    links = re.findall(r"\((https://my[^)]*)\)", (work / "made/README.md").read_text())
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(links[-1]).query)
    check(query == {"repository_url": ["https://example.org/a/facet-app"]}, f"its README has the link that adds it {links}")
    image = yaml.safe_load((work / "made/facet/config.yaml").read_text())["image"]
    check(image == "ghcr.io/a/facet", "its image is fetched")
    make()
    local = list(files.repository_problems(work / "made"))
    check(not local, f"so does one that builds its image {local or ''}")
    check("image" not in yaml.safe_load((work / "made/facet/config.yaml").read_text()), "which names none")
    made = work / "made/facet"
    config = yaml.safe_load((made / "config.yaml").read_text())
    check(config["version"] == "0.4.0" and config["arch"] == ["amd64", "aarch64"], "the packages' version and architectures are its own")
    camera = config["options"]["cameras"][0]["name"]
    check(re.match(re.fullmatch(r"match\((.*)\)", config["schema"]["cameras"][0]["name"])[1], camera), "the default camera's name is valid")
    listens = re.search(r"listen (\d+);", (made / "ingress.conf").read_text())[1]
    check(listens == str(config.get("ingress_port", 8099)), "ingress finds nginx")
    copied = re.findall(r"^COPY (.*) \S+$", (made / "Dockerfile").read_text(), re.M)
    check(all(list(made.glob(pattern)) for line in copied for pattern in line.split()), "what the image copies is there")


class Test:
    FRONT = {"cameras": [{"name": "front", "source": "/portrait.mp4"}]}
    PANEL = Core.PREFIX

    def __init__(self, options):
        self.work, self.root = pathlib.Path(options.work), pathlib.Path(options.root)
        self.screenshot = options.screenshot
        self.broker, self.add_on, self.subscriber = Broker(self.work), AddOn(self.root, self.work), None

    def run(self):
        serve(Supervisor, (SUPERVISOR, 80))
        serve(Core, CORE)
        try:
            self.mistakes()
            self.broker_service()
            self.rights()
            self.ingress()
            self.browser()
            self.restarts()
            self.ends()
            self.another_broker()
        finally:
            if failures:
                print(self.add_on.output)
            heard = [self.subscriber.process, self.subscriber.second] if self.subscriber else []
            for process in (self.add_on.process, self.broker.process, *heard):
                if process and process.poll() is None:
                    process.terminate()
            self.add_on.ends(20)

    def mistakes(self):
        self.add_on.start(cameras=[])
        check(self.add_on.ends() == 1 and self.add_on.says("cameras is empty", 0.1), "no camera is an error")
        self.add_on.start(cameras=[{"name": "a"}, {"name": "b"}, {"name": "a"}])
        check(self.add_on.ends() == 1 and self.add_on.says("same name (a)", 0.1), "two cameras of one name are an error")

    def broker_service(self):
        """Started before the broker's app is installed."""
        self.add_on.start(**self.FRONT)
        check(self.add_on.says("the Supervisor says: Service not enabled"), "without a broker it waits, and says for what")
        check(self.add_on.stop() == 0, "it can be stopped while it waits")
        settings = self.root / "config/facetd.yaml"
        check("discovery: true" in settings.read_text(), "the first start makes the owner's settings")
        check((self.root / "config/facetd.example.yaml").exists(), "all keys stand beside them")
        settings.write_text(settings.read_text() + "clip:\n  loop: true\nstats:\n  interval: 1s\n")
        self.add_on.start(**self.FRONT)
        self.add_on.says("Service not enabled")
        self.broker.start()
        self.subscriber = Subscriber(self.work)
        Supervisor.service = {"addon": "core_mosquitto", "host": "core-mosquitto", "port": 1883, "ssl": False,
                              "username": USER, "password": PASSWORD, "protocol": "3.1.1"}
        online = self.subscriber.has("front/faces/status", state="online", camera="front")
        check(online, "it goes on when the Supervisor knows a broker, with its user and password")
        if not online:
            sys.exit("the rest needs a running app")
        check(self.subscriber.has("homeassistant/device/facet-front-faces/config"), "the camera announces itself")
        check(self.subscriber.has("front/faces/smile", seconds=60), "a smile arrives")
        check(self.subscriber.has("front/faces/leave", seconds=60), "so does a leave")
        check(self.subscriber.pictures == 0, "no picture is published")

    def rights(self):
        children = {c[0]: (c, e, uid) for c, e, uid in self.add_on.processes().values() if "nginx" not in c[0] and c[0] != "/bin/bash"}
        check(set(children) == {"facetd", "facet"}, f"facetd and facet run: {sorted(children)}")
        check(all(uid != 0 for _, _, uid in children.values()), "neither runs as root")
        check(not any(TOKEN in e for _, e, _ in children.values()), "neither has the Supervisor's token")
        lines = [" ".join(c) for c, _, _ in self.add_on.processes().values()]
        check(not any(PASSWORD in line or TOKEN in line for line in lines), "no command line holds a secret")
        check(PASSWORD not in self.add_on.output and TOKEN not in self.add_on.output, "the log holds none")
        check(not Supervisor.refused, "the Supervisor got its token")

    # ------------------------------------------------------------ ingress
    def ask(self, path="", method="GET", body=None, source="127.0.0.1", to=CORE, session=SESSION, prefix=PANEL, **headers):
        connection = http.client.HTTPConnection(*to, source_address=(source, 0), timeout=20)
        headers = {"Host": "home.example:8123", "Cookie": f"ingress_session={session}", **headers}
        connection.request(method, prefix + path, body, headers)
        return connection.getresponse()

    def ingress(self):
        until(lambda: self.ask().status == 200)
        page = self.ask()
        check(page.status == 200 and b"page.js" in page.read(), "the page comes through ingress, under its prefix and host name")
        check(all(self.ask(file).status == 200 for file in ("page.js", "page.css")), "so do its files")
        policies = [value for name, value in page.getheaders() if name == "Content-Security-Policy"]
        direct = self.ask(to=("127.0.0.1", 8088), prefix="/", Host="127.0.0.1:8088").headers["Content-Security-Policy"]
        check(policies == [direct.replace("frame-ancestors 'none'", "frame-ancestors 'self'")] != [direct],
              "Home Assistant may show it in a frame, and nothing else of its policy changes")
        live = self.ask("live?overlay=box")
        check(live.status == 200 and len(live.read(4096)) == 4096, "its stream comes as it is made")
        live.close()
        check(self.ask(session="0").status == 401, "without Home Assistant's login nothing comes")
        for source in (OTHER, ADD_ON, "127.0.0.1"):
            to = (ADD_ON, 8099) if source != "127.0.0.1" else ("127.0.0.1", 8099)
            check(self.ask(to=to, source=source, prefix="/").status == 403, f"{source} is refused past the Supervisor")
        since = len(self.subscriber.messages)
        switched = self.ask("detect", "POST", json.dumps({"camera": "front/faces", "on": False}), Origin="http://home.example:8123")
        off = until(lambda: any(m[:2] == ("front/faces/detect/state", "OFF") for m in self.subscriber.messages[since:]), 10)
        check(switched.status == 204 and off, "the page switches detection off")
        self.ask("detect", "POST", json.dumps({"camera": "front/faces", "on": True}), Origin="http://home.example:8123")
        check(self.subscriber.has("front/faces/status", since, cameraState="streaming"), "and on again")

    def browser(self):
        try:
            from selenium import webdriver
            from selenium.webdriver.chrome.service import Service
        except ImportError:
            return print("skipped: the page in a browser: python3-selenium is not installed")
        driver = shutil.which("chromedriver")
        if not driver:
            return print("skipped: the page in a browser: chromium-driver is not installed")
        chrome = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1240,860"):
            chrome.add_argument(argument)
        browser = webdriver.Chrome(service=Service(driver), options=chrome)
        try:
            browser.get("http://%s:%d/" % CORE)
            browser.switch_to.frame(0)
            script = "return document.querySelector('canvas.live')?.dataset.frame || null"
            check(until(lambda: browser.execute_script(script)), "a browser shows the page in Home Assistant's frame, with frames")
            lanes = "return document.querySelectorAll('#lanes .lane').length"
            check(until(lambda: browser.execute_script(lanes) == 1, 60), "with the camera's last minutes")
            if self.screenshot:
                browser.save_screenshot(self.screenshot)
        finally:
            browser.quit()

    # ------------------------------------------------------------ restarts
    def restarts(self):
        settings = (self.root / "config/facetd.yaml").read_text()
        last = max(m[1]["faceID"] for m in self.subscriber.messages if m[0] == "front/faces/enter")
        since = len(self.subscriber.messages)
        check(self.add_on.stop() == 0, "the Supervisor stops it in time")
        check(self.subscriber.has("front/faces/status", since, 5, state="stopped"), "the daemon says that it stopped")
        # As after an update: the example is the new version's, the owner's settings stay.
        (self.root / "config/facetd.example.yaml").write_text("old")
        since = len(self.subscriber.messages)
        self.add_on.start(cameras=self.FRONT["cameras"] + [{"name": "yard", "source": "/portrait.mp4"}], preview=True, overlay="pixelate")
        entered = self.subscriber.has("front/faces/enter", since, 60)
        check(entered and entered["faceID"] > last, "after an update faces are numbered on")
        check((self.root / "config/facetd.yaml").read_text() == settings, "the owner's settings are kept")
        check((self.root / "config/facetd.example.yaml").read_text() != "old", "the list of all keys is the new version's")
        stats = lambda: [m for m in self.subscriber.messages[since:] if m[0] == "front/faces/stats"]
        check(until(lambda: len(stats()) > 3, 8), "and they hold")
        check(self.subscriber.has("yard/faces/enter", since, 60, camera="yard"), "a second camera has topics of its own")
        check(until(lambda: self.subscriber.pictures > 0), "with the option preview, pictures are published")
        served = [command for command, _, _ in self.add_on.processes().values() if command[0] == "facet"]
        check(served and "pixelate" in served[0], "with the option overlay, the page has it")
        since = len(self.subscriber.messages)
        self.broker.stop()
        self.broker.start()
        check(self.subscriber.has("front/faces/status", since, state="online"), "after a restart of the broker it is there again")
        check(self.subscriber.has("yard/faces/status", since, state="online"), "with both cameras")

    def ends(self):
        """What the Supervisor's watchdog restarts."""
        for name, words in ("facet", "facet serve"), ("facetd", "facetd for the camera front"):
            os.kill(self.add_on.named(name)[0], signal.SIGKILL)
            status = self.add_on.ends()
            check(status not in (0, None) and self.add_on.says(f"{words} has ended with status", 0.1),
                  f"it ends, with an error that names it, when {name} is killed: {status}")
            since = len(self.subscriber.messages)
            self.add_on.start(**self.FRONT)
            self.subscriber.has("front/faces/status", since, state="online")
        self.add_on.stop()
        settings = self.root / "config/facetd.yaml"
        kept = settings.read_text()
        settings.write_text(kept + "tracking:\n  patients: 1s\n")
        self.add_on.start(**self.FRONT)
        check(self.add_on.ends() not in (0, None) and self.add_on.says("tracking.patients", 0.1),
              "a mistake in the owner's settings ends it, and is named")
        settings.write_text(kept)

    def another_broker(self):
        """The option wins over the Supervisor's service."""
        Supervisor.service = {"host": "nowhere.invalid", "port": 1, "ssl": False}
        since = len(self.subscriber.messages)
        self.add_on.start(**self.FRONT, broker={"host": BROKER, "username": USER, "password": PASSWORD})
        check(self.subscriber.has("front/faces/status", since, state="online"), "another broker can be given as an option")
        until(lambda: self.ask().status == 200)
        live = self.ask("live").read(2048)
        check(re.search(rb'"connected":true', live), "for the page too")
        check(self.add_on.stop() == 0, "and it stops")


def main():
    parser = argparse.ArgumentParser()
    for name in ("work", "root", "screenshot"):
        parser.add_argument("--" + name)
    options = parser.parse_args()
    repository(pathlib.Path(options.work))
    Test(options).run()
    print(f"{failures} checks failed")
    sys.exit(min(failures, 1))


if __name__ == "__main__":
    main()

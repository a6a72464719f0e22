"""Runs the examples that are settings of facetd, each with a mosquitto as it wants it."""
import json
import os
import re
import shutil
import subprocess
import time

import paho.mqtt.client as mqtt
from bench import EXAMPLES, PORTRAIT, Bench, Client, free_port, until

# A face a third as wide as the picture; that of PORTRAIT is 18 % of it.
NEAR = "/usr/local/share/facet/grace_hopper.jpg"


class SettingsExamples(Bench):
    def broker(self, *lines):
        """Starts a mosquitto of its own for an example, and returns its port."""
        port = free_port()
        path = self.work / f"broker-{port}.conf"
        path.write_text("\n".join([f"listener {port} 127.0.0.1", *lines, ""]))
        self.mosquitto(path, "plain")
        return port

    def password_broker(self, *users):
        """The same for users whose passwords are their names."""
        passwords = self.work / "passwords"
        passwords.write_text("".join(f"{user}:{user}\n" for user in users))
        subprocess.run([shutil.which("mosquitto_passwd"), "-U", str(passwords)], check=True)
        passwords.chmod(0o600)
        return self.broker("allow_anonymous false", f"password_file {passwords}")

    def camera(self, name, settings, picture=PORTRAIT, **environment):
        """Checks the settings as a user would, and starts a camera with them that sees the face of a picture."""
        environment.setdefault("STATE_DIRECTORY", str(self.work / f"state-{name}"))
        checked = subprocess.run([self.facetd, "--check", "--config", str(settings)], capture_output=True, text=True,
                                 env={**os.environ, **environment})
        self.check(checked.returncode == 0, f"{name}: the settings are valid {checked.stdout}{checked.stderr}".strip())
        return self.start([self.facetd, "--config", str(settings), "--source", picture, "--set", "clip.loop=true"],
                          f"facetd-{name}", **environment)

    def kiosk(self):
        port = self.broker("allow_anonymous true")
        settings = self.example("kiosk.yaml")
        places = {"FACET_MQTT_BROKERS": f"127.0.0.1:{port}"}
        passer_by, visitor = Client(port, "passer-by/#"), Client(port, "visitor/#")
        self.camera("passer-by", settings, FACET_MQTT_TOPIC="passer-by", **places)
        self.camera("visitor", settings, picture=NEAR, FACET_MQTT_TOPIC="visitor", **places)
        seen = until(lambda: visitor.of("visitor/enter") and "1" in visitor.texts("visitor/count"))
        self.check(seen is not None, "kiosk: somebody near is reported")
        until(lambda: passer_by.of("passer-by/stats"), 15)
        self.check(not passer_by.of("passer-by/enter"), "kiosk: somebody far is not")
        topics = {m.topic for _, m in visitor.messages}
        self.check(topics <= {"visitor/" + t for t in ("enter", "leave", "count", "status", "stats", "detect/state")},
                   f"kiosk: nothing is published that was not asked for {sorted(topics)}")

    def party(self):
        """The overlay of one's own, drawn on a picture."""
        pictures = [self.work / f"{overlay}.png" for overlay in ("party", "square")]
        for picture, overlay in zip(pictures, (EXAMPLES / "party.yaml", "square")):
            drawn = subprocess.run([os.environ["FACET"], "apply", PORTRAIT, "--overlay", str(overlay), "-o", str(picture)],
                                   capture_output=True, text=True)
            self.check(drawn.returncode == 0, f"party: {overlay} is drawn {drawn.stdout}{drawn.stderr}".strip())
        first, second = (picture.read_bytes() if picture.exists() else b"" for picture in pictures)
        self.check(first and first != second, "party: the overlay is not the usual one")

    def certificates(self):
        """An authority, and a certificate for the broker and for the camera."""
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=self.work)
        new = ("-newkey", "rsa:2048", "-nodes")
        openssl("req", "-x509", *new, "-subj", "/CN=authority", "-days", "2", "-keyout", "authority.key", "-out", "authority.pem",
                "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign")
        for name in ("localhost", "camera"):
            (self.work / "extensions").write_text(f"subjectAltName=DNS:{name}\n")
            openssl("req", *new, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
            openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial",
                    "-extfile", "extensions", "-days", "2", "-out", f"{name}.pem")

    def tls(self):
        self.certificates()
        port = self.broker("allow_anonymous true", "require_certificate true", "use_identity_as_username true",
                           *(f"{key} {self.work}/{file}" for key, file in (
                               ("cafile", "authority.pem"), ("certfile", "localhost.pem"), ("keyfile", "localhost.key"))))
        settings = self.example("tls.yaml", changes={
            "host: broker.example": f"host: localhost\n  port: {port}", "/etc/facet/": f"{self.work}/"})
        self.camera("tls", settings)
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        client.tls_set(f"{self.work}/authority.pem", f"{self.work}/camera.pem", f"{self.work}/camera.key")
        topics = []
        client.on_message = lambda _client, _data, message: topics.append(message.topic)
        client.on_connect = lambda *_: client.subscribe("faces/#", 1)
        until(lambda: self.answers(client, port))
        client.loop_start()
        self.check(until(lambda: "faces/enter" in topics) is not None, "tls: the camera is let in with its certificate")
        client.disconnect()
        client.loop_stop()
        stranger = self.work / "stranger.yaml"
        stranger.write_text(re.sub(r" +(certificate|key):.*\n", "", settings.read_text()))
        self.camera("stranger", stranger, FACET_MQTT_TOPIC="stranger/faces")
        log = self.work / "facetd-stranger.log"
        refused = until(lambda: any("ertificate" in line for line in log.read_text().splitlines() if "MQTT" in line))
        self.check(refused is not None, "tls: without it the camera is refused, and says why")

    @staticmethod
    def answers(client, port):
        try:
            return client.connect("localhost", port) == 0
        except OSError:
            return False

    def home_assistant(self):
        port = self.password_broker("facet", "home")
        # As LoadCredential= of the unit gives it to the service.
        credentials = self.work / "credentials"
        credentials.mkdir(exist_ok=True)
        (credentials / "facet.mqtt-password").write_text("facet\n")
        settings = self.example("home-assistant.yaml", changes={
            "host: homeassistant.local": f"host: 127.0.0.1\n  port: {port}"})
        home = Client(port, "homeassistant/device/#", "faces/#", user="home")
        self.camera("home-assistant", settings, CREDENTIALS_DIRECTORY=str(credentials))
        device = "homeassistant/device/facet-faces/config"
        self.check(until(lambda: home.of(device) and home.of("faces/enter")) is not None,
                   "home-assistant: the camera announces itself, with the password of its credentials")
        self.check(json.loads(home.texts(device)[0])["device"]["name"] == "hall", "home-assistant: it is called as in the settings")

    def instances(self):
        """Several cameras of one machine: one settings file, what differs in each one's environment."""
        port = self.password_broker("front", "porch", "viewer")
        client = Client(port, "+/faces/status", user="viewer")
        shared = self.example("fleet.yaml", changes={"host: broker.example": "host: 127.0.0.1\n  port: %d" % port})
        for camera in ("front", "porch"):
            # As facetd@.service does: the instance's name, then its file.
            environment = {"FACET_CAMERA_NAME": camera, "FACET_MQTT_TOPIC": f"{camera}/faces", "STATE_DIRECTORY": str(self.work / camera)}
            for line in (EXAMPLES / "fleet.env").read_text().splitlines():
                if match := re.match(r"#?(FACET_[A-Z_]+)=(.*)", line):
                    environment.setdefault(*match.groups())
            environment |= {"FACET_CAMERA_SOURCE": PORTRAIT, "FACET_MQTT_USERNAME": camera, "FACET_MQTT_PASSWORD": camera}
            checked = subprocess.run([self.facetd, "--check", "--config", str(shared)], capture_output=True, text=True,
                                     env={**os.environ, **environment})
            self.check(checked.returncode == 0, f"instances: the settings of {camera} are valid {checked.stdout}{checked.stderr}".strip())
            self.start([self.facetd, "--config", str(shared), "--set", "clip.loop=true"], f"facetd-{camera}", **environment)
        seen = until(lambda: all(client.texts(f"{c}/faces/status") for c in ("front", "porch")))
        self.check(seen is not None, "instances: two cameras share one file")

#!/usr/bin/env python3
"""Tests the page of `facet serve` in a headless Chromium, against a real broker and a real daemon on the demo clip.

usage: page-test.py PROGRAMS CLIP [SCREENSHOT-DIRECTORY]

PROGRAMS is the directory of the built facet and facetd. Needs mosquitto, chromium, chromium-driver and python3-selenium;
without a browser it says so and ends with status 77. Where nginx is installed, the login is also tested behind it, as
docs/examples/nginx.conf sets it up.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    print("page-test: skipped: python3-selenium is not installed")
    sys.exit(77)

driver_path = shutil.which("chromedriver")
if not driver_path or not shutil.which("chromium"):
    print("page-test: skipped: chromium and chromium-driver are not installed")
    sys.exit(77)

programs, clip = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
shots = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
work = tempfile.mkdtemp()
running = []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(arguments, **options):
    process = subprocess.Popen(arguments, **options)
    running.append(process)
    return process


def start_broker(port):
    with open(f"{work}/broker.conf", "w") as file:
        file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
        if os.getuid() == 0:
            file.write("user root\n")
    name = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
    return start([name, "-c", f"{work}/broker.conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def start_daemon(base, port, preview):
    return start(
        [f"{programs}/facetd", "--source", clip, "--mqtt", f"mqtt://127.0.0.1:{port}", "--set", "clip.loop=true",
         "--set", f"preview.enabled={preview}", "--set", "preview.rate=10", "--set", f"mqtt.topic={base}",
         "--set", f"outbox.path={work}/{base.replace('/', '-')}.sqlite"],
        stdout=subprocess.DEVNULL, stderr=open(f"{work}/facetd.log", "a"))


def wait(words, condition, seconds=30):
    try:
        return WebDriverWait(browser, seconds, poll_frequency=0.1).until(lambda _: condition())
    except Exception:
        shot("failed")
        raise SystemExit(f"page-test: failed: {words}; page: {browser.find_element(By.TAG_NAME, 'body').text!r}")


def shot(name):
    if shots:
        os.makedirs(shots, exist_ok=True)
        browser.save_screenshot(f"{shots}/{name}.png")


def figure(base):
    return f'figure[data-base="{base}"]'


def data(base, name):
    return browser.execute_script(
        f"return document.querySelector('{figure(base)} canvas.live')?.dataset.{name} ?? null")


def caption(base):
    return browser.execute_script(f"return document.querySelector('{figure(base)} figcaption')?.textContent ?? ''")


def pixel(base, x, y):
    return browser.execute_script(
        "const c = document.querySelector(arguments[0] + ' canvas.live');"
        "return [...c.getContext('2d').getImageData(arguments[1] * c.width, arguments[2] * c.height, 1, 1).data]",
        figure(base), x, y)


def eyes(port):
    """The eyes in the newest metadata, as shares of the picture."""
    output = subprocess.run(
        [f"{programs}/facet", "watch", "--json", "metadata", "--count", "1", "--mqtt", f"mqtt://127.0.0.1:{port}"],
        capture_output=True, timeout=20).stdout
    faces = json.loads(output)["payload"]["faces"]
    return [(face[eye]["x"], face[eye]["y"]) for face in faces for eye in ("leftEye", "rightEye") if eye in face]


def is_red(color):
    return color[0] > 150 and color[1] < 130 and color[2] < 150


def is_tinted(color):
    """Skin has more green than blue, the glasses of docs/examples have less."""
    return color[2] > color[1] + 10


def start_server(port, *options, host="127.0.0.1"):
    server = start(
        [f"{programs}/facet", "serve", "--mqtt", f"mqtt://127.0.0.1:{port}", "--listen", f"{host}:0", *options],
        stdout=subprocess.PIPE, text=True)
    return server.stdout.readline().split()[0]


def make_certificate():
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", f"{work}/https.key",
         "-out", f"{work}/https.pem"], check=True, stderr=subprocess.DEVNULL)
    return f"{work}/https.pem", f"{work}/https.key"


def start_nginx(server, certificate, key):
    """nginx before the server, by the documented file with this test's names and ports; its address."""
    port = free_port()
    site = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/examples/nginx.conf")).read()
    for documented, here in [("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"), ("camera.example", "localhost"),
                             ("/etc/facet/https.pem", certificate), ("/etc/facet/https.key", key),
                             ("http://127.0.0.1:8088", server.rstrip("/"))]:
        assert documented in site, documented
        site = site.replace(documented, here)
    with open(f"{work}/nginx.conf", "w") as file:
        file.write(f"{'user root;' if os.getuid() == 0 else ''} daemon off; master_process off; pid {work}/nginx.pid;\n"
                   f"error_log {work}/nginx.log; events {{}}\nhttp {{ access_log off; client_body_temp_path {work}/body;\n"
                   f"proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/fastcgi; uwsgi_temp_path {work}/uwsgi;\n"
                   f"scgi_temp_path {work}/scgi;\n{site}\n}}\n")
    start([nginx, "-p", work, "-c", f"{work}/nginx.conf"], stderr=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return f"https://localhost:{port}/"
        except ConnectionRefusedError:
            time.sleep(0.1)


def check_login(address, name):
    """A wrong token, then the right one, then the logout."""
    def enter(token):
        browser.find_element(By.NAME, "token").send_keys(token + Keys.ENTER)

    browser.delete_all_cookies()
    browser.get(address)
    wait(f"{name}: the token is asked for", lambda: browser.find_elements(By.NAME, "token"))
    enter("not the right one")
    wait(f"{name}: a wrong token is told",
         lambda: "not the token" in browser.find_element(By.CSS_SELECTOR, "[role=alert]").text)
    enter(secret)
    wait(f"{name}: the picture is there", lambda: data("faces", "picture") == "true")
    if browser.get_cookie("facet")["secure"] != address.startswith("https:"):
        raise SystemExit(f"page-test: failed: {name}: the cookie's Secure: {browser.get_cookie('facet')}")
    first = data("faces", "frame")
    wait(f"{name}: the picture moves", lambda: data("faces", "frame") != first)
    browser.find_element(By.CSS_SELECTOR, "#logout button").click()
    wait(f"{name}: the token is asked for again", lambda: browser.find_elements(By.NAME, "token"))


secret = "correct horse battery staple"
nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
browser = None
try:
    port = free_port()
    broker = start_broker(port)
    start_daemon("faces", port, "true")
    address = start_server(port, "--control", "--look", "hearts")
    options = Options()
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1280,860"]:
        options.add_argument(argument)
    options.accept_insecure_certs = True
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(service=Service(driver_path), options=options)
    browser.get(address)

    wait("the picture is there", lambda: data("faces", "picture") == "true")
    first = data("faces", "frame")
    wait("the picture moves", lambda: data("faces", "frame") != first)
    wait("a face is listed", lambda: browser.find_elements(By.CSS_SELECTOR, "#faces li"))
    wait("hearts are on the eyes",
         lambda: (lambda places: places and all(is_red(pixel("faces", *place)) for place in places))(eyes(port))
         and data("faces", "picture") == "true")
    shot("hearts")
    wait("a smile is listed",
         lambda: any(row.text == "smile" for row in browser.find_elements(By.CSS_SELECTOR, "#events b")), 60)
    shot("live")

    Select(browser.find_element(By.ID, "look")).select_by_value("santa")
    wait("the look changes", lambda: data("faces", "look") == "santa")
    shot("santa")
    browser.find_element(By.TAG_NAME, "body").send_keys("l")
    wait("the key changes the look", lambda: data("faces", "look") == "square")
    browser.find_element(By.TAG_NAME, "body").send_keys("m")
    wait("the key mirrors the picture", lambda: browser.find_element(By.ID, "mirror").is_selected())
    shot("square-mirrored")

    broker.kill()
    broker.wait()
    wait("the loss of the broker is shown", lambda: "bad" in browser.find_element(By.ID, "broker").get_attribute("class"))
    wait("so is what it means for the camera", lambda: "no connection" in caption("faces"))
    shot("broker-lost")
    broker = start_broker(port)
    wait("its return is shown", lambda: "good" in browser.find_element(By.ID, "broker").get_attribute("class"), 60)
    wait("the camera streams again", lambda: "streaming" in caption("faces"), 60)

    browser.find_element(By.CSS_SELECTOR, f"{figure('faces')} figcaption button").click()
    wait("detection is off", lambda: "disabled" in caption("faces"))
    wait("no old picture passes for live", lambda: data("faces", "picture") == "false")
    shot("detection-off")
    browser.find_element(By.CSS_SELECTOR, f"{figure('faces')} figcaption button").click()
    wait("detection is on again", lambda: "streaming" in caption("faces"))
    wait("the picture is back", lambda: data("faces", "picture") == "true")
    # Frames are counted anew then: the overlay must not wait until they have caught up. The clip's face stays for 8 s.
    wait("a face is drawn again", lambda: "1 face" in caption("faces")
         and browser.find_elements(By.CSS_SELECTOR, "#faces li"), 6)

    start_daemon("porch/faces", port, "false")
    wait("a second camera appears, without a preview", lambda: data("porch/faces", "picture") == "false")
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    wait("its face is there", lambda: "1 face" in caption("porch/faces"), 60)
    wait("cameras of one name are told apart", lambda: "(porch/faces)" in caption("porch/faces"))
    time.sleep(1)
    shot("grid-dark")
    browser.find_element(By.CSS_SELECTOR, f"{figure('porch/faces')} .picture").click()
    wait("one click shows one camera", lambda: not browser.find_element(By.CSS_SELECTOR, figure("faces")).is_displayed())
    shot("one-dark")
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
    wait("escape shows all", lambda: browser.find_element(By.CSS_SELECTOR, figure("faces")).is_displayed())

    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/examples/looks/party.yaml")
    browser.get(start_server(port, "--look", own))
    wait("a look of one's own is offered and shown", lambda: data("faces", "look") == "party")
    wait("its glasses are on the eyes",
         lambda: (lambda places: places and all(is_tinted(pixel("faces", *place)) for place in places))(eyes(port))
         and data("faces", "picture") == "true")
    wait("a picture is no missing preview", lambda: "no preview" not in caption("faces"))
    shot("own-look")

    shown = browser.get_log("browser")
    with open(f"{work}/token", "w") as file:
        file.write(secret + "\n")
    token = ["--token-file", f"{work}/token"]
    check_login(start_server(port, *token), "loopback")
    check_login(start_server(port, *token, host="127.0.0.2"), "another address")
    shot("login")
    certificate, key = make_certificate()
    check_login(start_server(port, *token, "--https-certificate", certificate, "--https-key", key), "own certificate")
    if nginx:
        check_login(start_nginx(start_server(port, *token, "--proxy", "127.0.0.1"), certificate, key), "behind nginx")
    else:
        print("page-test: nginx is not installed: the login behind it is not tested")

    # "rendering" is advice about this test's own way to look at pixels.
    noise = [entry for entry in shown
             if entry["level"] in ("SEVERE", "WARNING") and entry.get("source") != "rendering"]
    if noise:
        raise SystemExit(f"page-test: failed: the browser complains: {noise}")
    print("page-test: passed")
finally:
    if browser:
        browser.quit()
    for process in running:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
    shutil.rmtree(work, ignore_errors=True)

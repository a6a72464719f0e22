#!/usr/bin/env python3
"""Holds an app's files against the rules of Home Assistant's linter, Supervisor and developer documentation, as of 2026.

The rules are written down here from the documentation; the linter's own program needs Docker. Used by `addon`; alone:

usage: Tests/home-assistant/files.py REPOSITORY
"""
import pathlib
import re
import struct
import sys

import yaml

# The keys of config.yaml, what they may be, and their default: what has it should be left out.
BOOLEANS = ("audio auth_api devicetree docker_api full_access gpio hassio_api homeassistant_api host_dbus host_ipc host_network "
            "host_pid host_uts ingress ingress_stream journald kernel_modules legacy realtime stdin tmpfs uart udev usb video")
KEYS = {
    **{name: (bool, False) for name in BOOLEANS.split()},
    **{name: (str, None) for name in "name version slug description url image homeassistant ingress_entry panel_title backup_pre "
                                     "backup_post webui".split()},
    **{name: (list, None) for name in "arch machine map services devices discovery privileged backup_exclude breaking_versions".split()},
    **{name: (dict, None) for name in "ports ports_description environment".split()},
    **{name: (dict, {}) for name in "options schema ulimits".split()},
    "init": (bool, True), "panel_admin": (bool, True), "apparmor": ((bool, str), True), "timeout": (int, 10),
    "ingress_port": (int, 8099), "panel_icon": (str, "mdi:puzzle"), "boot": (str, "auto"), "startup": (str, "application"),
    "stage": (str, "stable"), "backup": (str, "hot"), "hassio_role": (str, "default"),
}
WORDS = {"boot": "auto manual manual_only", "startup": "initialize system services application once",
         "stage": "stable experimental deprecated", "backup": "hot cold", "hassio_role": "default homeassistant backup manager admin"}
PATTERNS = {"arch": "aarch64|amd64", "services": "(mqtt|mysql):(provide|want|need)",
            "map": "(homeassistant_config|addon_config|app_config|all_addon_configs|all_app_configs|addons|local_apps|ssl|backup|share|"
                   "media|data)(:r[ow])?"}
OPTION = (r"(str|int|float)(\((-?[\d.]+)?,(-?[\d.]+)?\))?|bool|email|url|port|password|device(\(\w+=\w+\))?|match\(.*\)|list\(.+\)")


def option_types(schema):
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, (dict, list)):
            yield from option_types(value)
        else:
            yield value


def fields(schema):
    """The names of an option's own fields; nothing if it has none."""
    schema = schema[0] if isinstance(schema, list) else schema
    return set(schema) if isinstance(schema, dict) else set()


def png(path):
    head = path.read_bytes()[:24] if path.exists() else b""
    return struct.unpack(">II", head[16:24]) if head.startswith(b"\x89PNG\r\n") else None


def problems(app):
    """What is wrong with an app's directory, one sentence each."""
    config = yaml.safe_load((app / "config.yaml").read_text())
    for key, value in config.items():
        if key == "watchdog":
            yield "watchdog is obsolete: the image's HEALTHCHECK says how it is"
        elif key not in KEYS:
            yield f"{key} is no key"
        elif not isinstance(value, KEYS[key][0]) or (KEYS[key][0] is int and isinstance(value, bool)):
            yield f"{key} cannot be {value!r}"
        elif value == KEYS[key][1]:
            yield f"{key} has its default: leave it out"
        if key in WORDS and value not in WORDS[key].split():
            yield f"{key} cannot be {value}"
        for entry in value if key in PATTERNS else []:
            entry = entry["type"] if isinstance(entry, dict) else entry
            if not re.fullmatch(PATTERNS[key], entry):
                yield f"{key} cannot have {entry}"
    for key in ("name", "version", "slug", "description", "arch"):
        if not config.get(key):
            yield f"{key} is missing"
    if not re.fullmatch(r"[-_.A-Za-z0-9]+", config["slug"]):
        yield f"{config['slug']} is no slug"
    if config.get("ingress") and config.get("webui"):
        yield "webui is not needed with ingress"
    if config.get("image") and not re.fullmatch(r"([a-zA-Z\-.:\d{}]+/)*[-\w{}]+/[-\w{}]+", config["image"]):
        yield f"{config['image']} is no image without a tag"
    if config.get("full_access") or config.get("apparmor") is False or config.get("privileged"):
        yield "it asks for rights that lower its rating"
    schema, options = config.get("schema", {}), config.get("options", {})
    for kind in option_types(schema):
        if not re.fullmatch(f"({OPTION})\\??", kind):
            yield f"an option cannot be {kind}"
    for name in options:
        if name not in schema or str(schema[name]).endswith("?"):
            yield f"the option {name} has a default, and so must be in the schema without ?"
    if not (app / "translations/en.yaml").exists():
        yield "there is no translations/en.yaml"
    for path in (app / "translations").iterdir():
        names = yaml.safe_load(path.read_text())["configuration"]
        if set(names) != set(schema):
            yield f"{path.name} and the schema have different options: {sorted(set(names) ^ set(schema))}"
        for name, words in names.items():
            if not set(words) <= {"name", "description", "fields"} or not words.get("name") or not words.get("description"):
                yield f"{name} in {path.name} needs a name and a description"
            if set(words.get("fields", {})) != fields(schema.get(name)):
                yield f"{name} in {path.name} has other fields than the schema"
    texts = {name: (app / name).read_text() if (app / name).exists() else ""
             for name in ("README.md", "DOCS.md", "CHANGELOG.md", "Dockerfile", "apparmor.txt")}
    for name in texts:
        if not texts[name]:
            yield f"there is no {name}"
    if config["version"] not in texts["CHANGELOG.md"]:
        yield f"CHANGELOG.md does not know {config['version']}"
    icon, logo = png(app / "icon.png"), png(app / "logo.png")
    if not icon or icon[0] != icon[1] or icon[0] < 128:
        yield f"icon.png must be a square of 128 pixels, not {icon}"
    if not logo or logo[0] < logo[1]:
        yield f"logo.png must be about 250 by 100 pixels, not {logo}"
    profiles = re.findall(r"^profile ([^ ]+)", texts["apparmor.txt"], re.M)
    if profiles != [config["slug"]]:
        yield f"apparmor.txt must have one profile, called as the slug, not {profiles}"
    image = texts["Dockerfile"]
    labels = dict(re.findall(r'(io\.hass\.\w+)="([^"]*)"', image))
    if labels.get("io.hass.type") != "app" or not {"io.hass.version", "io.hass.arch"} <= set(labels):
        yield f"the image lacks labels: {labels}"
    if "BUILD_FROM" in image:
        yield "BUILD_FROM is not given any more"
    for name in ("build.yaml", "build.json"):
        if (app / name).exists():
            yield f"{name} is not read any more"


def repository_problems(directory):
    about = yaml.safe_load((directory / "repository.yaml").read_text())
    if not about.get("name") or not set(about) <= {"name", "url", "maintainer"}:
        yield f"repository.yaml needs a name, and may have url and maintainer: {sorted(about)}"
    apps = [path.parent for path in directory.rglob("config.yaml")]
    if len(apps) != 1:
        yield f"each config.yaml is taken for an app's: {apps}"
    for app in apps:
        yield from problems(app)


if __name__ == "__main__":
    found = list(repository_problems(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "no problem")
    sys.exit(bool(found))

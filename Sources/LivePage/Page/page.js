import { chosen, isDemo, isKiosk, isTransparent, readCamera, save } from "./address.js";
import { withoutCameras } from "./advice.js";
import { $, clockOf, kindOf, make, order, setClock } from "./dom.js";
import * as feed from "./feed.js";
import * as film from "./film.js";
import * as lanes from "./lanes.js";
import { check, follow } from "./stream.js";
import { note, Tile } from "./tile.js";

const lamp = isDemo ? await import("./lamp.js") : null;
const tiles = new Map(); // base -> tile
const narrow = matchMedia("(max-width: 56rem)");
let state = null;
let lastEvent = null;
let emptiness = "null";
let unfolds = false; // whether cameras whose daemon was stopped are shown beside others

function connect() {
	const { overlay, mirror, levels, camera } = chosen;
	follow({ overlay, mirror, levels, camera, transparent: isTransparent || null }, { state: showState, frame, lost });
}

function frame(header, overlay, picture) {
	// It may be of a camera that is no longer shown.
	const tile = tiles.get(header.camera);
	if (!tile || tile.figure.hidden || tile.condition === "cut") return;
	lanes.frame(header);
	lamp?.frame(header);
	if (![...$("overlay").options].some(({ value }) => value === chosen.overlay)) $("overlay").value = header.overlay;
	if (chosen.mirror === null) $("mirror").ariaPressed = header.mirrored;
	tile.frame(header, overlay, picture);
}

function drawn(tile) {
	feed.drawn(tile);
	film.drawn(tile);
}

function lost(reason) {
	const { broker } = state ?? {};
	const since = broker?.isServerGone ? broker.since : new Date().toISOString();
	const gone = { address: "", ...broker, connected: false, reason, since, isServerGone: true };
	showState({ overlays: [], cameras: [], events: [], further: 0, ...state, broker: gone });
}

function showState(message) {
	const { broker } = message;
	// While a connection is tried again, the last reason still holds.
	if (!broker.connected && !state?.broker.connected) broker.reason ??= state?.broker.reason;
	state = message;
	nameCamera();
	if (!broker.isServerGone) setClock(message.time);
	const since = broker.since ? ` since ${clockOf(broker.since)}` : "";
	const words = broker.connected ? `${broker.isLocal ? "looking at" : "connected to"} ${broker.address}` : `no connection${since}`;
	if ($("broker").textContent !== words) $("broker").textContent = words;
	$("broker").className = broker.connected ? "good" : "bad";
	if (!$("overlay").options.length) {
		for (const name of message.overlays) $("overlay").add(new Option(name));
		$("overlay").value = chosen.overlay ?? "";
	}
	showCameras();
	showEvents(message.events);
	$("logout").hidden = !message.login;
	$("further").hidden = !message.further;
	$("further").textContent = `${message.further} more cameras are not shown: name those to show with --topic.`;
	$("version").textContent = `Facet ${message.version}`;
}

function showCameras() {
	const { cameras, broker, control } = state;
	for (const [base, tile] of tiles) {
		if (cameras.some((row) => row.base === base)) continue;
		tile.clear();
		tile.figure.remove();
		tiles.delete(base);
	}
	const shown = cameras.map((row) => {
		const { base, name } = row;
		const handlers = { choose, snapshot: film.snapshot, detect, drawn };
		const tile = tiles.get(base) ?? new Tile(base, handlers);
		tiles.set(base, tile);
		const isFolded = row.state === "stopped" && !unfolds && cameras.some(({ state }) => state === "online");
		tile.figure.hidden = chosen.camera ? chosen.camera !== base : isFolded;
		const isNamesake = cameras.some((other) => other.base !== base && other.name === name);
		tile.show(row, isNamesake ? `${name} (${base})` : name, broker, control);
		return tile;
	});
	order($("cameras"), shown.map(({ figure }) => figure));
	showEmptiness();
	$("all").hidden = !chosen.camera;
	const only = tiles.get(chosen.camera) ?? (shown.length === 1 ? shown[0] : null);
	document.title = only ? `${only.name.textContent} – Facet` : "Facet";
	lanes.show(shown);
	lamp?.keep(shown.filter(({ condition }) => condition === "live").map(({ base }) => base));
	$("lanes").hidden = !shown.length;
	const folded = chosen.camera ? [] : shown.filter(({ figure }) => figure.hidden).map(({ name }) => name.textContent);
	$("folded").hidden = !folded.length;
	$("folded").textContent = `Show what is stopped: ${folded.join(", ")}`;
	arrange();
}

// An address may name a camera as its owner does, if no other one is called so.
function nameCamera() {
	const { camera } = chosen;
	if (!camera || state.cameras.some(({ base }) => base === camera)) return;
	const named = state.cameras.filter(({ name }) => name === camera);
	if (named.length !== 1) return;
	chosen.camera = named[0].base;
	connect();
}

// No camera, or not the one that the address names.
function showEmptiness() {
	const there = [...tiles.values()].map(({ name }) => name.textContent).join(", ");
	const where = `The address names ${chosen.camera}, which is not there. There are: ${there}.`;
	const missing = { icon: "broken", title: "No such camera", text: where };
	const what = tiles.size === 0 ? withoutCameras(state.broker) : chosen.camera && !tiles.has(chosen.camera) ? missing : null;
	const text = JSON.stringify(what);
	if (text === emptiness) return;
	emptiness = text;
	$("cameras").querySelector(":scope > .note")?.remove();
	if (what) $("cameras").append(make("div", { className: "note" }, ...note(what)));
}

function showEvents(events) {
	const isNew = lastEvent !== null;
	// A server that was started again counts anew.
	if (!isNew || events.at(-1)?.number < lastEvent) lastEvent = 0;
	for (const event of events.filter(({ number }) => number > lastEvent)) {
		lastEvent = event.number;
		const tile = tiles.get(event.camera);
		feed.add(event, tile, { isNew, isNamed: tiles.size > 1 });
		if (!tile) continue;
		lanes.event(event, isNew);
		if (!isNew) continue;
		if (feed.isShown(kindOf(event.kind).group)) tile.pop(event);
		if (event.kind === "smile") film.smiled(event, tile);
	}
}

async function detect(camera, on) {
	const response = await fetch("detect", { method: "POST", body: JSON.stringify({ camera, on }) });
	if (response.status === 401) location.reload();
	else $("refusal").textContent = response.ok ? "" : await response.text();
}

const shown = () => [...tiles.values()].filter(({ figure }) => !figure.hidden);

// As many columns as make the tiles largest, and what they leave to the events; where the page scrolls, one or two.
function arrange() {
	const stage = $("cameras");
	const count = shown().length;
	stage.classList.toggle("one", count === 1);
	const gap = parseFloat(getComputedStyle(stage).columnGap);
	const isPlain = isKiosk || isTransparent;
	const isScrolling = narrow.matches && !isPlain;
	const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
	const side = Math.min(Math.max(18 * rem, innerWidth * 0.23), 25 * rem);
	const width = isPlain || isScrolling ? stage.clientWidth : innerWidth - 2.3 * rem - side;
	const height = stage.clientHeight;
	const sizes = Array.from({ length: count }, (_, index) => {
		const rows = Math.ceil(count / (index + 1));
		return Math.min((width - index * gap) / (index + 1), ((height - (rows - 1) * gap) / rows / 9) * 16);
	});
	const tile = Math.floor(isScrolling ? (count < 3 ? width : (width - gap) / 2) : Math.max(0, ...sizes));
	stage.style.setProperty("--tile", `${tile}px`);
	const columns = sizes.indexOf(Math.max(...sizes)) + 1;
	const left = count > 1 ? width - columns * (tile + gap) : 0;
	document.body.style.setProperty("--side", `${Math.min(34 * rem, side + Math.max(0, left))}px`);
}

function choose(base) {
	chosen.camera = chosen.camera === base ? "" : base;
	save({ isStep: true });
	followChoice();
}

function followChoice() {
	if (state) nameCamera();
	connect();
	feed.showFilters();
	if (state) showCameras();
}

function change(values) {
	Object.assign(chosen, values);
	save();
	showControls();
	if (!("fit" in values) && !("shutter" in values)) connect();
}

function showControls() {
	$("cameras").style.setProperty("--fit", ($("fit").value = chosen.fit));
	if (chosen.overlay) $("overlay").value = chosen.overlay;
	$("mirror").ariaPressed = chosen.mirror ?? false;
	$("shutter").ariaPressed = chosen.shutter;
}

const next = ({ options, selectedIndex }) => options[(selectedIndex + 1) % options.length].value;
const current = () => tiles.get(document.activeElement?.closest(".tile")?.dataset.base) ?? shown()[0];
const actions = {
	overlay: () => change({ overlay: $("overlay").value }),
	fit: () => change({ fit: $("fit").value }),
	mirror: () => change({ mirror: $("mirror").ariaPressed !== "true" }),
	shutter: () => change({ shutter: !chosen.shutter }),
	snapshot: () => film.snapshot(current()),
	full: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
	keys: () => $("help").showModal(),
	all: () => choose(chosen.camera),
	folded: () => {
		unfolds = true;
		showCameras();
	},
};
for (const [id, act] of Object.entries(actions)) $(id)[$(id).tagName === "SELECT" ? "onchange" : "onclick"] = act;

const keys = {
	l: () => state && change({ overlay: next($("overlay")) }),
	g: () => change({ fit: next($("fit")) }),
	m: actions.mirror,
	v: () => change({ levels: chosen.levels ? null : true }),
	x: actions.shutter,
	s: actions.snapshot,
	b: () => feed.toggle("blinks"),
	f: actions.full,
	"?": actions.keys,
	Escape: () => chosen.camera && actions.all(),
};
addEventListener("keydown", (event) => {
	const isTaken = event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT";
	if (isTaken || document.querySelector("dialog[open]")) return;
	const base = state?.cameras[event.key - 1]?.base;
	if (!base) keys[event.key]?.();
	else if (base !== chosen.camera) choose(base);
});
addEventListener("popstate", () => {
	readCamera();
	followChoice();
});

document.documentElement.className = isTransparent ? "plain transparent" : isKiosk ? "plain kiosk" : "";
if (isKiosk) navigator.wakeLock?.request("screen").catch(() => {});
new ResizeObserver(arrange).observe($("cameras"));
showControls();
feed.showFilters();
setInterval(() => {
	check();
	feed.tick();
	lanes.draw();
}, 1000);
connect();

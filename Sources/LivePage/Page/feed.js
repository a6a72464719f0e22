// The events, newest first, each with a crop of the picture, in memory only.
import { chosen, save } from "./address.js";
import { $, ago, clock, icon, kindOf, make } from "./dom.js";

const most = 60; // lines of each group and camera, so that blinks do not push the others out
const patience = 10000; // milliseconds that a crop waits for a picture with its face
const pause = 4000; // milliseconds between two announcements
const side = 64; // pixels of a crop

const groups = { faces: "Faces", smiles: "Smiles", looks: "Looks", blinks: "Blinks", eyes: "Eyes", zones: "Zones", other: "Other" };
const seen = new Set(["faces", "smiles", "looks", "blinks"]); // others have no filter before their first event
const faces = new Map(); // "base face" -> its newest crop
let pending = []; // lines that wait for their crop
let unsaid = [];
let lastSaid = -pause;

const lines = () => [...$("events").children];
export const isShown = (group) => !chosen.hide.includes(group);
const isWanted = ({ dataset }) => isShown(dataset.group) && [dataset.camera, ""].includes(chosen.camera);

export function showFilters() {
	const filters = $("filters");
	for (const [group, words] of Object.entries(groups)) {
		if (!filters.querySelector(`.${group}`)) filters.append(make("button", { className: group, onclick: () => toggle(group) }, words));
		const button = filters.querySelector(`.${group}`);
		button.hidden = !seen.has(group);
		button.ariaPressed = isShown(group);
	}
	for (const line of lines()) line.hidden = !isWanted(line);
	$("no-events").hidden = lines().some((line) => !line.hidden);
}

export function toggle(group) {
	chosen.hide = isShown(group) ? [...chosen.hide, group] : chosen.hide.filter((hidden) => hidden !== group);
	save();
	showFilters();
}

// What happened before the page came has no crop, and is not announced. The tile is undefined for a camera that is gone.
export function add(event, tile, { isNew, isNamed }) {
	const { picture, words, group } = kindOf(event.kind);
	const seconds = Date.parse(event.time) / 1000;
	const [name, face] = [isNamed ? event.name : "", `face ${event.face}`];
	const who = [name, face].filter(Boolean).join(", ");
	const minutes = (words, whole) => (whole < 60 ? words : `${Math.round(whole / 60)} min`);
	const detail = event.text.replace(/^face \d+/, "").replace(/(\d+)\.\d+ s/, minutes);
	const crop = make("span", { className: "crop" }, icon(picture));
	const line = make(
		"li",
		{ className: event.kind, data: { group, camera: event.camera }, title: `${clock(seconds)} ${event.name}: ${event.text}` },
		crop,
		make("div", {}, make("b", {}, icon(picture), words), make("span", { className: "who" }, name && make("span", {}, name), face)),
		make("time", { dateTime: event.time, data: { seconds } }, ago(seconds)),
		make("small", {}, detail),
	);
	$("events").prepend(line);
	const alike = ({ dataset }) => dataset.group === group && dataset.camera === event.camera;
	for (const old of lines().filter(alike).slice(most)) old.remove();
	line.hidden = !isWanted(line);
	if (!line.hidden) $("no-events").hidden = true;
	if (!seen.has(group)) {
		seen.add(group);
		showFilters();
	}
	if (!isNew) return;
	if (!line.hidden) unsaid.push(`${who} ${words}`);
	const item = { crop, key: `${event.camera} ${event.face}`, face: event.face, tile, until: performance.now() + patience };
	if (event.kind !== "leave") {
		if (tile && !fill(item)) pending.push(item);
		return;
	}
	if (faces.has(item.key)) crop.replaceChildren(copyOf(faces.get(item.key)));
	faces.delete(item.key);
}

// A picture was drawn: faces that were waited for may be in it.
export function drawn(tile) {
	pending = pending.filter((item) => item.until > performance.now() && (item.tile !== tile || !fill(item)));
}

function fill({ crop, key, face, tile }) {
	const picture = tile.crop(face, side);
	if (!picture) return false;
	faces.delete(key);
	faces.set(key, picture);
	if (faces.size > 100) faces.delete(faces.keys().next().value);
	crop.replaceChildren(copyOf(picture));
	return true;
}

function copyOf(picture) {
	const copy = make("canvas", { width: side, height: side });
	copy.getContext("2d").drawImage(picture, 0, 0);
	return copy;
}

// Brings the times up to date, and gives a screen reader what came, at most once in a while.
export function tick() {
	for (const time of $("events").querySelectorAll("time")) {
		const words = ago(Number(time.dataset.seconds));
		if (time.textContent !== words) time.textContent = words;
	}
	if (!unsaid.length || performance.now() - lastSaid < pause) return;
	lastSaid = performance.now();
	$("said").textContent = unsaid.slice(-3).join("; ") + (unsaid.length > 3 ? `, and ${unsaid.length - 3} more` : "");
	unsaid = [];
}

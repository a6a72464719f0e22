// What was seen of each camera: the last minute, and as time goes by the last ten. A row holds one face at a time; the next one takes the first row that is free.
import { $, clock, kindOf, make, now, order } from "./dom.js";

const spans = [60, 120, 300, 600]; // seconds: the first that holds what is known
const mostRows = 8;
let since = now();
const lanes = new Map(); // base -> lane
let span = spans[0];

function laneOf(base) {
	let lane = lanes.get(base);
	if (lane) return lane;
	const name = make("span", { className: "name" });
	const canvas = make("canvas", { tabIndex: 0, role: "img" });
	lane = { element: make("div", { className: "lane", data: { base } }, name, canvas), name, canvas, rows: [], age: 0, height: 30 };
	canvas.onpointermove = canvas.onpointerdown = ({ offsetX, offsetY }) => {
		lane.age = span * (1 - offsetX / canvas.clientWidth);
		showTip(lane, Math.floor(offsetY / lane.height));
	};
	canvas.onpointerleave = canvas.onblur = () => ($("tip").hidden = true);
	canvas.onkeydown = (event) => {
		const direction = { ArrowLeft: 5, ArrowRight: -5 }[event.key];
		if (!direction) return;
		event.preventDefault();
		event.stopPropagation();
		lane.age = Math.max(0, Math.min(span, lane.age + direction));
		showTip(lane);
	};
	lanes.set(base, lane);
	return lane;
}

// The cameras that there are, in the order of the tiles.
export function show(tiles) {
	for (const [base, { element }] of lanes) {
		if (tiles.some((tile) => tile.base === base)) continue;
		element.remove();
		lanes.delete(base);
	}
	const elements = tiles.map((tile) => {
		const lane = laneOf(tile.base);
		lane.name.textContent = tile.name.textContent;
		lane.element.hidden = tile.figure.hidden;
		lane.smileStart = tile.row.smileStart;
		if (tile.condition !== "live") forget(lane);
		lane.canvas.ariaLabel = summary(lane);
		return lane.element;
	});
	order($("lane-list"), elements);
	$("lane-list").classList.toggle("many", elements.filter(({ hidden }) => !hidden).length > 1);
}

const present = (lane) => lane.rows.flat().filter(({ to }) => to === null);

function forget(lane) {
	for (const visit of present(lane)) visit.to = now();
}

// The visit that a face makes at a time, or else a new one from another time on; leave and metadata may differ by a moment.
function visitOf(lane, id, from, at) {
	const known = lane.rows.flat().find((visit) => visit.id === id && (visit.to === null || (visit.from <= at + 1 && visit.to >= at - 1)));
	if (known) return known;
	const visit = { id, from, to: null, smiles: [], marks: [] };
	since = Math.min(since, from);
	const row = lane.rows.find((other) => (other.at(-1).to ?? Infinity) <= from);
	if (row) row.push(visit);
	else if (lane.rows.length < mostRows) lane.rows.push([visit]);
	return visit;
}

// The faces of a picture, which may be older than an enter.
export function frame({ camera, faces }) {
	const lane = laneOf(camera);
	const time = now();
	for (const { faceID: id, smile, looking } of faces) {
		const { smiles, marks } = visitOf(lane, id, time, Infinity);
		if (!smiles.length || smiles.at(-1).level !== smile) smiles.push({ time, level: smile });
		// The picture may be older than the event.
		if (!looking) for (const mark of marks) if (mark.kind === "look" && time > mark.time + 1) mark.end ??= time;
	}
	for (const visit of present(lane).filter(({ id }) => !faces.some(({ faceID }) => faceID === id))) {
		// The server may have dropped the leave of a face that was never in a picture here: what is known of it ends with its last event.
		const last = Math.max(visit.from, ...visit.marks.map(({ time, end }) => end ?? time));
		if (visit.smiles.length) visit.to = time;
		else if (last < time - 2) visit.to = last;
	}
}

export function event({ camera, kind, face, time, dwell, end }, isNew) {
	const lane = laneOf(camera);
	const seconds = Math.min(now(), Date.parse(time) / 1000);
	const isLeave = kind === "leave";
	if (isLeave && isNew && !present(lane).some(({ id }) => id === face)) return;
	// A leave from before the page came says how long.
	const visit = visitOf(lane, face, seconds - (dwell ?? 0), seconds);
	const ended = end && Date.parse(end) / 1000;
	if (isLeave) visit.to = seconds;
	else visit.marks.push({ time: seconds, kind, end: ended });
	// Of a face that is gone no picture will say so.
	if (kind === "enter" && ended) visit.to = ended;
}

export function draw() {
	if (document.hidden) return;
	span = spans.find((length) => now() - since <= length) ?? spans.at(-1);
	$("lanes-title").textContent = `Last ${{ 60: "minute", 120: "two minutes", 300: "five minutes" }[span] ?? "ten minutes"}`;
	// The legend's colours, which follow the light or dark scheme.
	const paint = { line: getComputedStyle($("lanes")).borderTopColor, faint: getComputedStyle($("legend")).color };
	for (const item of $("legend").children) paint[item.className] = getComputedStyle(item, "::before").color;
	const shown = [...lanes.values()].filter((lane) => !lane.element.hidden && lane.canvas.clientWidth);
	const unit = parseFloat(getComputedStyle(document.documentElement).fontSize);
	for (const lane of shown) drawLane(lane, paint, unit, shown.length > 1, lane.element === $("lane-list").lastChild || shown.length === 1);
}

const words = (seconds) => (seconds < 60 || seconds % 60 ? `${seconds} s` : `${seconds / 60} min`);

function drawLane(lane, paint, unit, isOneOfMany, isLast) {
	const { canvas } = lane;
	const old = now() - span;
	lane.rows = lane.rows.map((row) => row.filter(({ to }) => (to ?? Infinity) > old)).filter((row) => row.length);
	for (const visit of lane.rows.flat()) {
		while (visit.smiles[1]?.time < old) visit.smiles.shift();
		while (visit.marks[0]?.time < old) visit.marks.shift();
	}
	lane.height = Math.round(unit * (isOneOfMany || lane.rows.length > 3 ? 1.2 : 2));
	const rows = Math.max(1, lane.rows.length) * lane.height;
	const height = rows + (isLast ? unit : 0);
	canvas.style.height = `${height}px`;
	const width = canvas.clientWidth;
	[canvas.width, canvas.height] = [width * devicePixelRatio, height * devicePixelRatio];
	const context = canvas.getContext("2d");
	context.scale(devicePixelRatio, devicePixelRatio);
	const place = (time) => width * (1 - (now() - time) / span);
	Object.assign(context, { font: `${0.72 * unit}px system-ui, sans-serif`, textBaseline: "bottom" });
	for (let part = 0; part <= 1; part += width < 420 ? 0.5 : span > 120 ? 0.2 : 0.25) {
		const x = width * (1 - part);
		context.fillStyle = paint.line;
		context.fillRect(Math.min(width - 1, x), 0, 1, rows);
		if (!isLast) continue;
		context.fillStyle = paint.faint;
		context.textAlign = { 0: "right", 1: "left" }[part] ?? "center";
		context.fillText(part ? `−${words(Math.round(part * span))}` : "now", x, height);
	}
	lane.rows.forEach((row, index) => {
		for (const visit of row) drawVisit(context, visit, lane, index * lane.height + 1, place, paint);
	});
}

function drawVisit(context, visit, { smileStart, height: row }, top, place, paint) {
	const height = row - 3;
	const bottom = top + height;
	const [left, right] = [Math.max(0, place(visit.from)), place(visit.to ?? now())];
	const fill = (color, ...box) => {
		context.fillStyle = color;
		context.fillRect(...box);
	};
	context.save();
	context.beginPath();
	context.roundRect(left, top, Math.max(2, right - left), height, 3);
	context.clip();
	fill(paint.seen, left, top, right - left + 2, height);
	visit.smiles.forEach(({ time, level = 0 }, index) => {
		const [x, next] = [place(time), place(visit.smiles[index + 1]?.time ?? visit.to ?? now())];
		fill(paint.smile, x, bottom - level * height, next - x + 0.3, level * height);
	});
	for (let x = left; x < right; x += 6) fill(paint.start, x, bottom - smileStart * height, 3, 1);
	context.restore();
	visit.marks.forEach(({ time, kind, end: ended }, index) => {
		const x = place(time);
		if (kind === "blink") fill(paint.blink, x - 0.75, bottom - height / 3, 1.5, height / 3);
		if (kind === "eyes_closed") fill(paint.blink, x - 1.5, bottom - height / 2, 3, height / 2);
		if (kind === "smile") fill(paint.smile, x - 1.5, top, 3, height);
		const end = visit.marks.slice(index).find((mark) => mark.kind === "look_away")?.time ?? ended ?? visit.to ?? now();
		if (kind === "look") fill(paint.look, x, top, place(end) - x, 2);
	});
}

function summary(lane) {
	const visits = lane.rows.flat();
	const count = (kind) => visits.flatMap(({ marks }) => marks).filter((mark) => mark.kind === kind).length;
	return `${lane.name.textContent}, ${$("lanes-title").textContent.toLowerCase()}: ${visits.length} faces, ${count("smile")} smiles, ${count("blink")} blinks. `
		+ "The left and right keys read the values.";
}

// The values at the cursor: of the face in a row, or of all.
function showTip(lane, index) {
	const time = now() - lane.age;
	const there = lane.rows.map((row) => row.find(({ from, to }) => from <= time && (to ?? Infinity) >= time));
	const words = (there[index] ? [there[index]] : there.filter(Boolean)).map(({ id, smiles, marks }) => {
		const level = smiles.findLast((sample) => sample.time <= time)?.level;
		const near = marks.filter((mark) => Math.abs(mark.time - time) < 2).map(({ kind }) => kindOf(kind).words);
		return [`face ${id}`, level === undefined ? null : `smile ${Math.round(level * 100)} %`, ...new Set(near)].filter(Boolean).join(", ");
	});
	const tip = $("tip");
	tip.textContent = `${clock(time)} – ${words.join("; ") || "no face known"}`;
	tip.hidden = false;
	const place = lane.canvas.getBoundingClientRect();
	const left = place.right - (lane.age / span) * place.width - tip.offsetWidth / 2;
	tip.style.left = `${Math.max(8, Math.min(innerWidth - tip.offsetWidth - 8, left))}px`;
	tip.style.top = `${place.top - tip.offsetHeight - 6}px`;
}

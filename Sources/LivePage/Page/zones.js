// Draws zones and ignored areas over the picture, and writes them as settings.
import { $, make } from "./dom.js";
import { caption, paint, setText } from "./paint.js";
import { check, follow } from "./stream.js";

let areas = []; // { kind: "zones" or "ignore", name, corners: [{ x, y }], dwell, minimumSize, anchor }
let chosen = null; // one of the areas
let corners = []; // of the area that is being drawn
let dragged = null; // what the pointer moves: corners of an area, or the rectangle that began at one
const past = []; // what the areas were after each change, as JSON; the last is what they are
const names = new Map(); // base -> the camera's name

const round = (share) => Math.round(Math.min(1, Math.max(0, share)) * 1000) / 1000;
const svg = $("drawing");

// The picture

async function frame(header, overlay, jpeg) {
	if (await paint($("picture"), header, overlay, jpeg)) setText($("camera"), caption(names.get(header.camera) ?? header.camera, jpeg));
}

// Drawing

const point = ({ clientX, clientY }) => {
	const { left, top, width, height } = svg.getBoundingClientRect();
	return { x: round((clientX - left) / width), y: round((clientY - top) / height) };
};
// In pixels, as fingers see it.
const isNear = (one, other) => {
	const { width, height } = svg.getBoundingClientRect();
	return Math.hypot((one.x - other.x) * width, (one.y - other.y) * height) < 14;
};

const edges = ({ corners }) => corners.map((one, index) => [one, corners[(index + 1) % corners.length]]);
const middle = ([one, other]) => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });
// By the edges that lie to the right of the point.
const holds = (area, { x, y }) => edges(area).filter(([one, other]) =>
	(one.y > y) !== (other.y > y) && x < one.x + ((y - one.y) / (other.y - one.y)) * (other.x - one.x)).length % 2 === 1;

// What a press takes hold of: a corner, an edge of the chosen area, or a whole area; the chosen one before others.
function grip(at) {
	const order = [...areas.filter((area) => area === chosen), ...areas.filter((area) => area !== chosen).reverse()];
	for (const area of order) {
		const corner = area.corners.find((corner) => isNear(corner, at));
		const edge = area === chosen && edges(area).find((edge) => isNear(middle(edge), at));
		if (corner || edge) return { area, moved: corner ? [corner] : edge };
	}
	const area = order.find((area) => holds(area, at));
	return area && { area, moved: area.corners };
}

svg.onpointerdown = (event) => {
	const at = point(event);
	svg.setPointerCapture(event.pointerId);
	const held = corners.length || event.shiftKey ? null : grip(at);
	if (held) chosen = held.area;
	dragged = held ? { at, moved: held.moved, start: held.moved.map((corner) => ({ ...corner })) } : { from: at };
	show();
};

svg.onpointermove = (event) => {
	if (!dragged) return;
	const at = point(event);
	if (dragged.moved) move(dragged, at);
	else dragged.to = corners.length || isNear(at, dragged.from) ? null : at;
	show();
};

// As far as the picture reaches.
function move({ moved, start, at: from }, to) {
	for (const axis of ["x", "y"]) {
		const places = start.map((corner) => corner[axis]);
		const way = Math.min(1 - Math.max(...places), Math.max(-Math.min(...places), to[axis] - from[axis]));
		moved.forEach((corner, index) => (corner[axis] = round(start[index][axis] + way)));
	}
}

svg.onpointerup = (event) => {
	const { from, to } = dragged ?? {};
	dragged = null;
	if (to) add(rectangle(from, to));
	else if (from && corners.length > 2 && isNear(corners[0], from)) add(corners);
	else if (from) corners.push(point(event));
	settle();
};

svg.onpointercancel = () => {
	dragged = null;
	settle();
};

addEventListener("keydown", (event) => {
	const { key, target } = event;
	if (key === "Escape") corners = [];
	else if (key === "Enter" && target === svg && corners.length > 2) add(corners);
	else if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
	else if (key === "z" && (event.ctrlKey || event.metaKey)) return undo();
	else if ((key === "Delete" || key === "Backspace") && chosen) return remove(chosen);
	else return;
	settle();
});

function remove(area) {
	areas.splice(areas.indexOf(area), 1);
	chosen = null;
	list();
	settle();
}

// A change is complete.
function settle() {
	const now = JSON.stringify(areas);
	if (now !== past.at(-1)) past.push(now);
	$("undo").disabled = past.length < 2 && !corners.length;
	show();
}

// Takes back the last corner of what is being drawn, or the last change.
function undo() {
	if (!corners.pop() && past.length > 1) {
		past.pop();
		areas = JSON.parse(past.at(-1));
		chosen = null;
		list();
	}
	settle();
}
$("undo").onclick = undo;

const rectangle = (one, other) => [one, { x: other.x, y: one.y }, other, { x: one.x, y: other.y }];

function add(shape) {
	const isTaken = (name) => areas.some((area) => area.name === name);
	let number = 1;
	while (isTaken(`zone ${number}`)) number += 1;
	chosen = { kind: "zones", name: `zone ${number}`, corners: shape, dwell: 0, minimumSize: 0, anchor: "center" };
	areas.push(chosen);
	corners = [];
	list();
}

function show() {
	const shapes = areas.map((area) => {
		const isChosen = area === chosen ? " chosen" : "";
		return element("polygon", `${area.kind}${isChosen}`, area.corners);
	});
	const handles = [...areas.flatMap((area) => area.corners), ...(chosen ? edges(chosen).map(middle) : [])];
	const dots = handles.map((corner) => element("polyline", "corner", [corner, corner]));
	const { from, to } = dragged ?? {};
	const drawn = to ? element("polygon", "", rectangle(from, to)) : element("polyline", "", corners);
	svg.replaceChildren(...shapes, ...dots, drawn, ...corners.map((corner) => element("polyline", "corner", [corner, corner])));
	for (const row of $("areas").children) row.classList.toggle("chosen", areas[row.dataset.index] === chosen);
	$("yaml").value = yaml();
}

function element(name, kind, points) {
	const shape = document.createElementNS(svg.namespaceURI, name);
	shape.setAttribute("class", kind);
	shape.setAttribute("points", points.map(({ x, y }) => `${x},${y}`).join(" "));
	return shape;
}

// The list

function list() {
	$("areas").replaceChildren(...areas.map((area, index) => {
		const name = make("input", { type: "text", value: area.name, ariaLabel: "Name", maxLength: 64 });
		const kind = make("select", { ariaLabel: "What it is for" });
		kind.append(new Option("zone", "zones"), new Option("ignored", "ignore"));
		kind.value = area.kind;
		const dwell = make("input", { type: "number", min: 0, max: 3600, step: 0.5, value: area.dwell, ariaLabel: "Seconds until a face counts" });
		const wait = make("label", { hidden: area.kind === "ignore" }, "counts after", dwell, "s");
		const button = make("button", { textContent: "Remove", onclick: () => remove(area) });
		const row = make("li", { data: { index } }, name, kind, wait, button);
		row.addEventListener("focusin", () => {
			chosen = area;
			show();
		});
		row.oninput = row.onchange = ({ type }) => {
			Object.assign(area, { name: name.value.trim(), kind: kind.value, dwell: Math.max(0, Number(dwell.value) || 0) });
			wait.hidden = area.kind === "ignore";
			if (type === "change") settle();
			else show();
		};
		return row;
	}));
}

// The settings

function numbers(corners) {
	const xs = corners.map(({ x }) => x);
	const ys = corners.map(({ y }) => y);
	const [left, top, right, bottom] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
	const isRectangle = corners.length === 4
		&& corners.every(({ x, y }, index) => {
			const next = corners[(index + 1) % 4];
			return [left, right].includes(x) && [top, bottom].includes(y) && (x === next.x) !== (y === next.y);
		});
	const values = isRectangle ? [left, top, right - left, bottom - top] : corners.flatMap(({ x, y }) => [x, y]);
	return `[${values.map(round).join(", ")}]`;
}

const plain = (name) => (/^\p{L}[\p{L}\d_-]*( [\p{L}\d_-]+)*$/u.test(name) ? name : JSON.stringify(name));

function yaml() {
	const lines = ["zones", "ignore"].map((kind) => {
		const rows = areas.filter((area) => area.kind === kind).map((area) => {
			if (kind === "ignore") return `  ${plain(area.name)}: ${numbers(area.corners)}\n`;
			const further = [
				area.dwell ? `    dwell: ${area.dwell}s\n` : "",
				area.minimumSize ? `    minimumSize: ${area.minimumSize}\n` : "",
				area.anchor !== "center" ? `    anchor: ${area.anchor}\n` : "",
			];
			return `  ${plain(area.name)}:\n    area: ${numbers(area.corners)}\n${further.join("")}`;
		});
		return rows.length ? `${kind}:\n${rows.join("")}` : "";
	});
	return lines.join("");
}

function say(words, isBad = false) {
	$("said").textContent = words;
	$("said").className = isBad ? "bad" : "good";
}

$("copy").onclick = async () => {
	$("yaml").select();
	// Only pages of this machine or with TLS may write to the clipboard; what is selected can be copied by hand.
	await navigator.clipboard?.writeText($("yaml").value).then(() => say("copied"), () => say("press Ctrl-C to copy"));
};

$("send").onclick = async () => {
	try {
		const response = await fetch("areas", { method: "POST", body: $("yaml").value });
		say((await response.text()).trim(), !response.ok);
	} catch {
		say("the server of this page is gone: start facet zones again, and copy the settings first", true);
	}
};

// Without the areas of the file nothing may be written over them.
const answer = await fetch("areas");
const known = answer.ok ? await answer.json() : { zones: [], ignore: [] };
$("send").disabled = !answer.ok;
if (!answer.ok) say((await answer.text()).trim(), true);
for (const kind of ["zones", "ignore"]) {
	for (const area of known[kind]) areas.push({ kind, dwell: 0, minimumSize: 0, anchor: "center", ...area });
}
if (known.file) $("send").textContent = `Write to ${known.file}`;
list();
settle();
const camera = new URLSearchParams(location.search).get("camera");
follow({ overlay: "box", mirror: false, camera }, { state: ({ cameras }) => cameras.forEach(({ base, name }) => names.set(base, name)), frame, lost: (reason) => { $("camera").textContent = reason; } });
setInterval(check, 2000);

// Draws zones and ignored areas over the picture, and writes them as settings.
import { $, make } from "./dom.js";
import { check, follow } from "./stream.js";

const areas = []; // { kind: "zones" or "ignore", name, corners: [{ x, y }], dwell, minimumSize, anchor }
let chosen = null; // one of the areas
let corners = []; // of the area that is being drawn
let dragged = null; // what the pointer moves: a corner, or the rectangle that began at one
let isBusy = false;

const round = (share) => Math.round(Math.min(1, Math.max(0, share)) * 1000) / 1000;
const svg = $("drawing");

// The picture

async function frame(header, overlay, jpeg) {
	if (isBusy) return;
	isBusy = true;
	try {
		const marks = new Image();
		marks.src = URL.createObjectURL(overlay);
		const [picture] = await Promise.all([jpeg ? createImageBitmap(jpeg) : null, marks.decode()]);
		Object.assign($("picture"), { width: header.width, height: header.height });
		const context = $("picture").getContext("2d");
		if (picture) context.drawImage(picture, 0, 0, header.width, header.height);
		context.drawImage(marks, 0, 0, header.width, header.height);
		URL.revokeObjectURL(marks.src);
		picture?.close();
		$("camera").textContent = picture ? header.camera : `${header.camera}: no pictures come, so faces are drawn as heads (preview.enabled)`;
	} finally {
		isBusy = false;
	}
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

svg.onpointerdown = (event) => {
	const at = point(event);
	svg.setPointerCapture(event.pointerId);
	const area = corners.length ? null : areas.find((area) => area.corners.some((corner) => isNear(corner, at)));
	if (area) {
		chosen = area;
		dragged = { corner: area.corners.find((corner) => isNear(corner, at)) };
	} else {
		dragged = { from: at };
	}
	show();
};

svg.onpointermove = (event) => {
	if (!dragged) return;
	const at = point(event);
	if (dragged.corner) Object.assign(dragged.corner, at);
	else dragged.to = corners.length || isNear(at, dragged.from) ? null : at;
	show();
};

svg.onpointerup = (event) => {
	const { from, to } = dragged ?? {};
	dragged = null;
	if (to) add(rectangle(from, to));
	else if (from && corners.length > 2 && isNear(corners[0], from)) add(corners);
	else if (from) corners.push(point(event));
	show();
};

svg.onpointercancel = () => {
	dragged = null;
	show();
};

addEventListener("keydown", ({ key, target }) => {
	if (key === "Escape") corners = [];
	else if (key === "Enter" && target === svg && corners.length > 2) add(corners);
	else return;
	show();
});

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
	const dots = areas.flatMap((area) => area.corners.map((corner) => element("polyline", "corner", [corner, corner])));
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
		dwell.title = dwell.ariaLabel;
		dwell.hidden = area.kind === "ignore";
		const remove = make("button", { textContent: "Remove" });
		const row = make("li", { data: { index } }, name, kind, dwell, remove);
		row.addEventListener("focusin", () => {
			chosen = area;
			show();
		});
		row.oninput = row.onchange = () => {
			Object.assign(area, { name: name.value.trim(), kind: kind.value, dwell: Math.max(0, Number(dwell.value) || 0) });
			dwell.hidden = area.kind === "ignore";
			show();
		};
		remove.onclick = () => {
			areas.splice(index, 1);
			list();
			show();
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

const known = await (await fetch("areas")).json();
for (const kind of ["zones", "ignore"]) {
	for (const area of known[kind]) areas.push({ kind, dwell: 0, minimumSize: 0, anchor: "center", ...area });
}
if (known.file) $("send").textContent = `Write to ${known.file}`;
list();
show();
const camera = new URLSearchParams(location.search).get("camera");
follow({ overlay: "box", mirror: false, camera }, { state() {}, frame, lost: (reason) => { $("camera").textContent = reason; } });
setInterval(check, 2000);

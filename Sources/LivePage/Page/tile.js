import { chosen, isTransparent } from "./address.js";
import { advice, attentionWords, condition, conditionWords } from "./advice.js";
import { icon, kindOf, make } from "./dom.js";

const firstPicture = 2500; // milliseconds until pictures count as missing

export class Tile {
	header = null; // of what is drawn
	bitmap = null; // the picture as it came
	canvas = make("canvas", { className: "live", width: 640, height: 360 });
	button = make("button", { className: "picture" }, this.canvas);
	chips = make("div", { className: "chips", aria: { hidden: true } });
	note = make("div", { className: "note", hidden: true });
	name = make("strong");
	status = make("span");
	count = make("span", { className: "count" });
	why = make("p", { className: "why" });
	power = make("button", { className: "tool" }, icon("power"));
	shoot = make("button", { className: "tool" }, icon("camera"));

	constructor(base, { choose, snapshot, detect, drawn }) {
		Object.assign(this, { base, detect, drawn });
		this.button.onclick = () => choose(base);
		this.shoot.onclick = () => snapshot(this);
		const caption = make("figcaption", {}, this.name, this.status, this.count, this.power, this.shoot, this.why);
		this.figure = make("figure", { className: "tile", data: { base } }, this.button, this.chips, this.note, caption);
	}

	// One picture is decoded at a time; of those that come meanwhile the newest follows.
	async frame(...parts) {
		this.waiting = parts;
		if (this.busy) return;
		this.busy = true;
		try {
			while (this.waiting) {
				const next = this.waiting;
				this.waiting = null;
				await this.draw(...next);
			}
		} finally {
			this.busy = false;
		}
	}

	async draw(header, overlay, jpeg) {
		const [picture, marks] = await Promise.all([jpeg && !isTransparent ? createImageBitmap(jpeg) : null, image(overlay)]);
		if (this.condition !== "live" && this.condition !== "starting") return picture?.close();
		// Finer where it is shown larger: lines stay sharp.
		const shown = Math.ceil((this.figure.clientWidth * devicePixelRatio) / header.width);
		const scale = Math.max(1, Math.min(3, shown, Math.floor(2560 / header.width)));
		const [width, height] = [header.width * scale, header.height * scale];
		const { canvas } = this;
		if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
		const context = canvas.getContext("2d");
		context.clearRect(0, 0, width, height);
		if (picture) {
			if (header.mirrored) context.setTransform(-1, 0, 0, 1, width, 0);
			context.drawImage(picture, 0, 0, width, height);
			context.resetTransform();
		}
		context.drawImage(marks, 0, 0, width, height);
		if (!isTransparent) this.outlineHeld(context, header, width, height);
		this.bitmap?.close();
		[this.bitmap, this.header] = [picture, header];
		Object.assign(canvas.dataset, { frame: header.frame ?? "", overlay: header.overlay, picture: header.picture });
		for (const chip of this.chips.children) this.place(chip);
		this.explain();
		this.showWhy();
		this.drawn(this);
	}

	// A faint outline where somebody is whose face is not seen: of it nothing is known but its place.
	outlineHeld(context, { faces, mirrored }, width, height) {
		context.strokeStyle = "rgba(255, 255, 255, 0.35)";
		context.lineWidth = Math.max(1, width / 400);
		for (const { bounds, seen, roll } of faces) {
			if (seen !== false || roll !== undefined) continue;
			const left = mirrored ? 1 - bounds.x - bounds.width : bounds.x;
			context.strokeRect(left * width, bounds.y * height, bounds.width * width, bounds.height * height);
		}
	}

	// Nothing old may pass for live.
	clear() {
		this.bitmap?.close();
		[this.bitmap, this.header, this.waiting] = [null, null, null];
		this.canvas.width = this.canvas.width;
		this.canvas.dataset.picture = false;
		this.chips.replaceChildren();
	}

	// The row of the server's state; `title` is unique among namesakes.
	show(row, title, broker, control) {
		const now = condition(row, broker);
		const isLive = now === "live";
		if (!isLive && this.header) this.clear();
		this.liveSince = isLive ? (this.liveSince ?? performance.now()) : null;
		Object.assign(this, { row, broker, control, condition: now });
		this.name.textContent = title;
		this.status.textContent = conditionWords[now];
		this.status.className = `status ${now}`;
		// Unknown while nothing is being looked at.
		const faces = { 0: "nobody in view", 1: "1 face" }[row.faces] ?? `${row.faces} faces`;
		const seen = row.held ? `, ${row.faces - row.held} seen` : "";
		this.count.textContent = isLive && row.faces !== undefined ? faces + seen : "";
		this.shoot.title = `Save the picture of ${title} (s)`;
		this.power.hidden = !control || row.state !== "online" || row.detecting === undefined || now === "cut";
		this.power.title = `Switch detection ${row.detecting ? "off" : "on"}: ${title}`;
		this.power.onclick = () => this.detect(row.base, !row.detecting);
		this.explain();
		this.showWhy();
	}

	showWhy() {
		const mesh = this.header?.overlay === "mesh" ? "messages carry eyes and mouth only: facet view --source shows the whole mesh" : "";
		const heads = "preview off, so heads are drawn; on with: facetd --set preview.enabled=true";
		const isOff = this.row.preview === false && !this.bitmap && !isTransparent && this.note.hidden;
		const words = [isOff && heads, attentionWords(this.row), mesh].filter(Boolean).join("; ");
		this.why.textContent = this.condition === "live" ? words : "";
	}

	explain() {
		const { row, broker, control } = this;
		const isLive = this.condition === "live";
		const isWaiting = isLive && row.preview !== false && performance.now() - this.liveSince < firstPicture;
		const hasPicture = this.canvas.dataset.picture === "true";
		const what = advice(row, broker, { hasPicture, isWaiting, control });
		this.shoot.hidden = !this.header;
		this.button.ariaLabel = [this.name, this.status, this.count].map(({ textContent }) => textContent).join(" ");
		const text = JSON.stringify(what);
		if (text === this.noted) return; // A pressed button must stay.
		this.noted = text;
		this.note.hidden = !what;
		this.note.replaceChildren(...(what ? note(what, () => this.detect(row.base, true)) : []));
	}

	// A chip at the face, which fades, unless the overlay says it in words.
	pop({ kind, face }) {
		if (/^(label|square)$/.test(this.header?.overlay) && /smile|look|blink|eyes/.test(kind)) return;
		const { picture, pop } = kindOf(kind);
		const chip = make("span", { className: `pop ${kind}`, data: { face } }, icon(picture), pop);
		if (!pop || !this.place(chip)) return;
		this.chips.querySelector(`[data-face="${face}"]`)?.remove();
		this.chips.append(chip);
		chip.onanimationend = () => chip.remove();
	}

	place(chip) {
		const area = this.area(Number(chip.dataset.face));
		if (!area) return false;
		chip.style.left = `${area.middle}px`;
		chip.style.top = `${Math.max(8, area.top)}px`;
		return true;
	}

	box(face) {
		return this.header?.faces.find(({ faceID }) => faceID === face)?.bounds;
	}

	// The middle of a face's upper edge on the tile, in CSS pixels; undefined if it is not drawn.
	area(face) {
		const box = this.box(face);
		if (!box) return;
		const { width, height, mirrored } = this.header;
		const [across, down] = [this.figure.clientWidth, this.figure.clientHeight];
		let [x, y] = [across / width, down / height];
		if (chosen.fit !== "fill") x = y = Math[chosen.fit === "cover" ? "max" : "min"](x, y);
		const left = mirrored ? 1 - box.x - box.width : box.x;
		return {
			middle: (across - width * x) / 2 + (left + box.width / 2) * width * x,
			top: (down - height * y) / 2 + box.y * height * y,
		};
	}

	// The face out of the picture that is shown, square; undefined without a picture.
	crop(face, side) {
		const box = this.box(face);
		if (!box || !this.bitmap) return;
		const { width, height } = this.bitmap;
		const size = Math.min(width, height, 1.5 * Math.max(box.width * width, box.height * height));
		const start = (middle, length) => Math.max(0, Math.min(length - size, middle * length - size / 2));
		const from = [start(box.x + box.width / 2, width), start(box.y + box.height / 2, height)];
		const canvas = make("canvas", { width: side, height: side });
		const context = canvas.getContext("2d");
		if (this.header.mirrored) context.setTransform(-1, 0, 0, 1, side, 0);
		context.drawImage(this.bitmap, ...from, size, size, 0, 0, side, side);
		return canvas;
	}
}

export function note(what, act) {
	const parts = [icon(what.icon ?? "camera"), make("strong", {}, what.title), make("p", {}, (what.text ?? "").replaceAll("`", ""))];
	if (what.command) {
		const code = make("code", {}, what.command);
		const button = make("button", { title: "Copy the command" }, "Copy");
		button.onclick = async () => (button.textContent = await copy(code));
		parts.push(make("div", { className: "command" }, code, button));
	}
	if (what.action) parts.push(make("button", { onclick: act }, "Switch on"));
	return parts;
}

// Without encryption a browser lends its clipboard to pages of this machine only: then the text is selected.
async function copy(code) {
	try {
		await navigator.clipboard.writeText(code.textContent);
		return "Copied";
	} catch {
		getSelection().selectAllChildren(code);
		return "Selected";
	}
}

async function image(blob) {
	const element = new Image();
	element.src = URL.createObjectURL(blob);
	try {
		await element.decode();
	} finally {
		URL.revokeObjectURL(element.src);
	}
	return element;
}

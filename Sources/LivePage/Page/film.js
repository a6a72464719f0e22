// The film strip of smiles, in memory unless they are saved.
import { chosen } from "./address.js";
import { $, clock, make, now, prefersStill } from "./dom.js";

const most = 24; // pictures of the strip; the oldest goes
const span = 1000; // milliseconds of a smile of which the best picture is taken
const smiles = new Set(); // those that go on: the event, its tile, and the best picture yet
const picture = (canvas) => new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));

export function smiled(event, tile) {
	if (!chosen.shutter || !tile.bitmap) return;
	const smile = { event, tile, quality: -1 };
	smiles.add(smile);
	drawn(tile);
	setTimeout(() => smiles.delete(smile) && smile.canvas && keep(smile), span);
}

// A picture was drawn: it may be the best one.
export function drawn(tile) {
	for (const smile of smiles) {
		const quality = tile.header?.qualities[smile.event.face];
		if (smile.tile !== tile || !tile.bitmap || !(quality > smile.quality)) continue;
		const { width, height } = tile.canvas;
		smile.canvas ??= make("canvas");
		Object.assign(smile.canvas, { width, height }).getContext("2d").drawImage(tile.canvas, 0, 0);
		Object.assign(smile, { quality, time: now() });
	}
}

async function keep({ event, tile, canvas, time }) {
	const title = tile.name.textContent;
	const blob = await picture(canvas);
	const words = `Smile of face ${event.face}, ${title}, ${clock(time)}`;
	const image = make("img", { src: URL.createObjectURL(blob), alt: words });
	const button = make("button", { title: `Save: ${words}` }, image);
	button.onclick = () => {
		download(blob, title, time);
		button.className = "saved";
	};
	const item = make("li", {}, button);
	$("shots").prepend(item);
	$("film").hidden = false;
	for (const old of [...$("shots").children].slice(most)) {
		URL.revokeObjectURL(old.querySelector("img").src);
		old.remove();
	}
	fly(tile, canvas, item);
}

function fly(tile, drawing, item) {
	if (prefersStill.matches || document.hidden) return;
	const copy = make("canvas", { width: 320, height: 180, className: "flying", aria: { hidden: true } });
	copy.getContext("2d").drawImage(drawing, 0, 0, 320, 180);
	const path = [tile.figure, item].map((element) => {
		const { left, top, width } = element.getBoundingClientRect();
		return { left: `${left}px`, top: `${top}px`, width: `${width}px` };
	});
	document.body.append(copy);
	copy.animate(path, { duration: 700, easing: "cubic-bezier(.5, 0, .2, 1)" }).finished.finally(() => copy.remove());
}

export async function snapshot(tile) {
	if (!tile?.header) return;
	download(await picture(tile.canvas), tile.name.textContent, now());
	if (!prefersStill.matches) tile.figure.animate([{ filter: "brightness(2.5)" }, {}], 300);
}

function download(blob, title, seconds) {
	const href = URL.createObjectURL(blob);
	const time = new Date(seconds * 1000).toISOString().replace(/[-:.]/g, "").slice(0, 18);
	make("a", { href, download: `facet-${title.replace(/[^\p{L}\p{N}]+/gu, "-")}-${time}.jpg` }).click();
	setTimeout(() => URL.revokeObjectURL(href), 10000);
}

// Messages come over one streamed response, each with a JSON header, an SVG document and a JPEG.
let stream = null; // what ends the response that is being read
let retry = 500;
let lastMessage = 0;
let last = null; // what was asked for, and who takes the answers

// Another wish is another response: the one that is being read ends. `receive` has `state`, `frame` and `lost`.
export async function follow(wish, receive) {
	stream?.abort();
	last = [wish, receive];
	lastMessage = performance.now();
	const mine = (stream = new AbortController());
	const query = new URLSearchParams(Object.entries(wish).filter(([, value]) => (value ?? "") !== ""));
	let reason = "the server of this page is gone";
	// An error of the page's own is not caught: the console shows it.
	const response = await fetch(`live?${query}`, { signal: mine.signal }).catch(() => null);
	if (response?.status === 401) return location.reload();
	if (response?.ok) await read(response.body.getReader(), receive);
	else if (response) reason = (await response.text()).trim();
	if (mine !== stream) return;
	receive.lost(reason);
	setTimeout(() => mine === stream && follow(wish, receive), retry);
	retry = Math.min(5000, retry * 2);
}

// The server sends a state every two seconds at the least.
export function check() {
	if (last && performance.now() - lastMessage > 8000) follow(...last);
}

// Cuts the response into messages: the lengths of three parts, each four bytes, then the parts.
async function read(reader, receive) {
	let [chunks, held, needed] = [[], 0, 12];
	for (;;) {
		const { value } = await reader.read().catch(() => ({}));
		if (!value) return;
		lastMessage = performance.now();
		chunks.push(value);
		held += value.length;
		while (held >= needed) {
			const bytes = chunks.length > 1 ? new Uint8Array(await new Blob(chunks).arrayBuffer()) : chunks[0];
			const lengths = [0, 4, 8].map((place) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(place));
			const end = lengths.reduce((sum, length) => sum + length, 12);
			const isWhole = held >= end;
			if (isWhole) take(bytes, lengths, receive);
			chunks = [isWhole ? bytes.subarray(end) : bytes];
			held = chunks[0].length;
			needed = isWhole ? 12 : end;
		}
	}
}

function take(bytes, [header, svg, jpeg], receive) {
	retry = 500;
	const [middle, last] = [12 + header, 12 + header + svg];
	const message = JSON.parse(new TextDecoder().decode(bytes.subarray(12, middle)));
	if (message.type === "state") return receive.state(message);
	const overlay = new Blob([bytes.subarray(middle, last)], { type: "image/svg+xml" });
	const picture = message.picture ? new Blob([bytes.subarray(last, last + jpeg)], { type: "image/jpeg" }) : null;
	receive.frame(message, overlay, picture);
}

// Leads a person through what the server asks of them, sends it what was seen, and shows the settings that it finds.
import { $, make } from "./dom.js";
import { caption, paint, setText } from "./paint.js";
import { check, follow } from "./stream.js";

const asked = await fetch("calibrate.json");
if (!asked.ok) location.assign("./");
const { steps, limits } = await asked.json();
const cameras = $("source");
let names = ""; // of the cameras that can be chosen
let wanted = new URLSearchParams(location.search).get("camera"); // the base of the camera that was named or chosen
let followed = null; // the base of the camera whose stream is read
let faces = []; // those that are seen now
let run = null; // the measurement that is going on

$("bar").append(...limits.map(({ level }) => make("b", { style: `left: ${100 * level}%` })));

const receive = {
	state({ cameras: rows }) {
		const live = rows.filter(({ state, camera, detecting }) => state === "online" && camera !== "lost" && detecting !== false);
		const text = JSON.stringify(live.map(({ base, name }) => [base, name]));
		if (text === names) return;
		names = text;
		cameras.replaceChildren(...live.map(({ base, name }) => new Option(name, base)));
		// The wanted camera may come later than others; one that is measured stays until it goes.
		const order = [run?.camera, wanted, followed];
		cameras.value = order.find((base) => live.some((row) => row.base === base)) ?? live[0]?.base ?? "";
		if (!live.length) setText($("camera"), "no camera is online");
		if (run && cameras.value !== run.camera) end("the camera has gone: try again", true);
		$("start").disabled = !live.length || run !== null;
		if (cameras.value !== followed) watch();
	},
	async frame(header, overlay, jpeg) {
		if (header.camera !== cameras.value) return;
		see(header.faces.filter(({ seen }) => seen !== false));
		if (await paint($("picture"), header, overlay, jpeg)) setText($("camera"), caption(cameras.selectedOptions[0]?.text, jpeg));
	},
	lost(reason) {
		see([]);
		setText($("camera"), reason);
	},
};

function see(seen) {
	faces = seen;
	const level = (faces.length === 1 && faces[0].smile) || 0;
	$("level").style.width = `${100 * level}%`;
	$("bar").ariaValueNow = Math.round(100 * level);
}

function watch() {
	followed = cameras.value;
	see([]);
	follow({ camera: followed, mirror: true, overlay: "box" }, receive);
}
cameras.onchange = () => {
	wanted = cameras.value;
	watch();
};

function end(words, isBad) {
	run = null;
	$("start").disabled = !cameras.length;
	cameras.disabled = false;
	$("step").textContent = $("left").textContent = "";
	$("said").textContent = words;
	$("said").className = isBad ? "bad" : "good";
	if (isBad) $("start").focus();
}

$("start").onclick = () => {
	end("");
	run = { camera: cameras.value, began: performance.now(), samples: [], part: null };
	$("start").disabled = cameras.disabled = true;
	$("yaml").hidden = true;
	$("step").textContent = "waiting for a face…";
};

// Metadata comes only when a value changes: until then it holds.
function sample() {
	if (!run) return;
	const time = Math.round(performance.now() - run.began) / 1000;
	if (time <= run.samples.at(-1)?.[0]) return;
	const [{ smile, mouthOpen = 0 } = {}] = faces;
	const isKnown = faces.length === 1 && smile !== undefined;
	run.samples.push(isKnown ? [time, 1, smile, mouthOpen] : [time, faces.length]);
	if (isKnown) run.start ??= time;
	const isAsking = run.start !== undefined;
	const [step, left] = stepAfter(time - (run.start ?? time));
	if (isAsking) {
		setText($("step"), steps[step]?.words ?? "");
		setText($("left"), step < steps.length ? `${Math.ceil(left)} s` : "");
	}
	// The server is asked at each step, so that it reports soon what a person does wrong.
	const part = isAsking ? step : -1 - Math.floor(time / 5);
	if (part === run.part) return;
	run.part = part;
	send(run);
}

function stepAfter(seconds) {
	let end = 0;
	const step = steps.findIndex((step) => seconds < (end += step.seconds));
	return step < 0 ? [steps.length, 0] : [step, end - seconds];
}

async function send(mine) {
	let answer;
	try {
		const body = JSON.stringify(mine.samples);
		answer = await fetch("calibrate", { method: "POST", body, signal: AbortSignal.timeout(15000) });
	} catch {
		answer = new Response("the server of this page is gone", { status: 503 });
	}
	if (answer.status === 204 || mine !== run) return;
	if (!answer.ok) return end(await answer.text(), true);
	const { failure, words, settings } = await answer.json();
	if (failure) return end(failure, true);
	end(`${words}. Put this into the daemon's settings:`);
	$("yaml").value = settings;
	$("yaml").hidden = false;
	$("yaml").select();
}

watch();
setInterval(sample, 50);
setInterval(check, 1000);

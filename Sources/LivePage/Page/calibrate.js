// Leads a person through what the server asks of them, sends it what was seen, and shows the settings that it finds.
import { $, make } from "./dom.js";
import { caption, paint } from "./paint.js";
import { check, follow } from "./stream.js";

const { steps, limits } = await (await fetch("calibrate.json")).json();
const cameras = $("source");
let names = ""; // of the cameras that can be chosen
let faces = []; // those that are seen now
let run = null; // the measurement that is going on

$("bar").append(...limits.map(({ level }) => make("b", { style: `left: ${100 * level}%` })));

const receive = {
	state({ cameras: rows }) {
		const live = rows.filter(({ state, camera }) => state === "online" && camera !== "lost");
		const text = JSON.stringify(live.map(({ base, name }) => [base, name]));
		if (text === names) return;
		names = text;
		const before = cameras.value || new URLSearchParams(location.search).get("camera");
		cameras.replaceChildren(...live.map(({ base, name }) => new Option(name, base)));
		if (live.some(({ base }) => base === before)) cameras.value = before;
		$("start").disabled = !live.length || run;
		if (!live.length) $("camera").textContent = "no camera is online";
		watch();
	},
	async frame(header, overlay, jpeg) {
		if (header.camera !== cameras.value) return;
		faces = header.faces.filter(({ seen }) => seen !== false);
		$("level").style.width = `${100 * (faces.length === 1 ? (faces[0].smile ?? 0) : 0)}%`;
		if (await paint($("picture"), header, overlay, jpeg)) $("camera").textContent = caption(cameras.selectedOptions[0]?.text, jpeg);
	},
	lost(reason) {
		faces = [];
		$("camera").textContent = reason;
	},
};

function watch() {
	faces = [];
	follow({ camera: cameras.value, mirror: true, overlay: "box" }, receive);
}
cameras.onchange = watch;

function say(words, isBad) {
	$("said").textContent = words;
	$("said").className = isBad ? "bad" : "good";
}

$("start").onclick = () => {
	run = { began: performance.now(), samples: [], asked: -1 };
	$("start").disabled = cameras.disabled = true;
	$("yaml").hidden = true;
	$("step").textContent = "waiting for a face…";
	say("");
};

// Metadata comes only when a value changes: until then it holds.
function sample() {
	if (!run) return;
	const time = Math.round(performance.now() - run.began) / 1000;
	const [{ smile, mouthOpen = 0 } = {}] = faces;
	const isKnown = faces.length === 1 && smile !== undefined;
	run.samples.push(isKnown ? [time, 1, smile, mouthOpen] : [time, faces.length]);
	if (isKnown) run.start ??= time;
	const [step, left] = stepAfter(time - (run.start ?? time));
	if (run.start !== undefined) $("step").textContent = step < steps.length ? `${steps[step].words}: ${Math.ceil(left)} s` : "";
	// The server is asked at each step, so that one who does something else is told soon.
	const part = run.start === undefined ? -1 - Math.floor(time / 5) : step;
	if (part === run.asked) return;
	run.asked = part;
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
		answer = await fetch("calibrate", { method: "POST", body: JSON.stringify(mine.samples) });
	} catch {
		answer = new Response("the server of this page is gone", { status: 503 });
	}
	if (answer.status === 204 || mine !== run) return;
	run = null;
	$("start").disabled = cameras.disabled = false;
	$("step").textContent = "";
	if (!answer.ok) return say(await answer.text(), true);
	const { failure, words, settings } = await answer.json();
	if (failure) return say(failure, true);
	say(`${words}. Put this into the daemon's settings:`);
	$("yaml").value = settings;
	$("yaml").hidden = false;
	$("yaml").select();
}

watch();
setInterval(sample, 33);
setInterval(check, 1000);

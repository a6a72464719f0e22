// The lamp of `?demo`: on while a face smiles, as one in the room would be that follows the same messages.
import { isDemo } from "./address.js";
import { $ } from "./dom.js";

const smiling = new Set(); // bases of the cameras in whose picture a face smiles

$("lamp").hidden = !isDemo;

export function frame({ camera, faces }) {
	if (faces.some((face) => face.smiling)) smiling.add(camera);
	else smiling.delete(camera);
	show();
}

// Only what is live counts: a camera without a picture lights nothing.
export function keep(bases) {
	for (const base of smiling) if (!bases.includes(base)) smiling.delete(base);
	show();
}

function show() {
	const isOn = smiling.size > 0;
	$("lamp").classList.toggle("on", isOn);
	$("lamp-words").textContent = isOn ? "The lamp is on: a face smiles" : "The lamp goes on with a smile";
}

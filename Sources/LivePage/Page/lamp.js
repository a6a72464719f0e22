// The lamp of `?demo`: on while a face smiles.
import { make } from "./dom.js";

const smiling = new Set(); // bases of the cameras in whose picture a face smiles
const words = make("h2", { role: "status" });
const lamp = make("section", { id: "lamp" }, words);
lamp.insertAdjacentHTML("afterbegin", `<svg viewBox="0 0 48 48"><path class="light" d="M12 26 4 46h40l-8-20z"/>
<path d="M16 4h16l6 20H10z"/><path d="M24 24v18M15 44h18"/></svg>`);
const [light, shade] = lamp.querySelectorAll("path");
Object.assign(lamp.firstChild.style, { width: "4.2rem", height: "4.2rem" });
Object.assign(lamp.style, { display: "flex", alignItems: "center", gap: "1rem", padding: ".6rem", borderRadius: ".8rem" });
light.style.stroke = "none";
document.querySelector("aside").prepend(lamp);
show();

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
	lamp.classList.toggle("on", isOn);
	lamp.style.background = isOn ? "light-dark(#fff3c4, #4a3b08)" : "var(--card)";
	shade.style.fill = isOn ? "#ffd23f" : "var(--seen)";
	light.style.fill = isOn ? "#ffd23f66" : "none";
	words.textContent = isOn ? "The lamp is on: a face smiles" : "The lamp goes on with a smile";
}

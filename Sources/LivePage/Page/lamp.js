// The lamp of `?demo`: on while a face smiles.
import { make, prefersStill } from "./dom.js";

const smiling = new Set(); // bases of the cameras in whose picture a face smiles
const words = make("h2", { aria: { live: "polite" } });
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
	if (isOn && !lamp.classList.contains("on")) flood();
	lamp.classList.toggle("on", isOn);
	lamp.style.background = isOn ? "light-dark(#fff3c4, #4a3b08)" : "var(--card)";
	shade.style.fill = isOn ? "#ffd23f" : "var(--seen)";
	light.style.fill = isOn ? "#ffd23f66" : "none";
	words.textContent = isOn ? "The lamp is on: a face smiles" : "The lamp goes on with a smile";
}

// The room lights up: one soft flood of light from the lamp, which takes no click and goes by itself.
function flood() {
	if (prefersStill.matches || document.hidden) return;
	const { left, top, width, height } = lamp.firstChild.getBoundingClientRect();
	const light = make("div", { id: "flood", aria: { hidden: true } });
	Object.assign(light.style, { position: "fixed", inset: 0, zIndex: 1, pointerEvents: "none",
		background: `radial-gradient(circle at ${left + width / 2}px ${top + height / 2}px, #ffe9a8, #ffc24b99 45%, #ff9a3c55)` });
	document.body.append(light);
	const steps = [{ opacity: 0 }, { opacity: 0.75, offset: 0.25, easing: "ease-in-out" }, { opacity: 0 }];
	light.animate(steps, { duration: 2400, easing: "ease-out" }).finished.finally(() => light.remove());
}

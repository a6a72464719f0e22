import { kinds } from "./kinds.js";

export const $ = (id) => document.getElementById(id);

export function make(tag, { data, aria, ...properties } = {}, ...children) {
	const element = Object.assign(document.createElement(tag), properties);
	Object.assign(element.dataset, data);
	for (const [name, value] of Object.entries(aria ?? {})) element.setAttribute(`aria-${name}`, value);
	element.append(...children.filter(Boolean));
	return element;
}

// Puts elements first in their parent, in this order; those that stand so already keep the focus.
export function order(parent, elements) {
	if (elements.some((element, index) => element !== parent.children[index])) parent.prepend(...elements);
}

export function icon(name) {
	const svg = document.querySelector("button svg").cloneNode(true);
	svg.firstChild.setAttribute("href", `#i-${name}`);
	return svg;
}

export const prefersStill = matchMedia("(prefers-reduced-motion: reduce)");

// A kind that only a newer server knows is shown by its name.
export function kindOf(name) {
	const [picture, words, group, pop] = kinds[name] ?? ["other", name.replaceAll("_", " "), "other"];
	return { picture, words, group, pop };
}

let ahead = -Infinity; // seconds that the server's clock is ahead of this one; the message with the least delay sets it

export function setClock(time) {
	ahead = Math.max(ahead, (Date.parse(time) - Date.now()) / 1000 || 0);
}

const offset = () => (ahead > -Infinity ? ahead : 0);
// Seconds of the server's clock.
export const now = () => Date.now() / 1000 + offset();
export const clock = (seconds) => new Date((seconds - offset()) * 1000).toLocaleTimeString([], { hour12: false });
export const clockOf = (time) => clock(Date.parse(time) / 1000);

export function ago(seconds) {
	const age = Math.max(0, now() - seconds);
	if (age < 5) return "now";
	if (age < 60) return `${Math.floor(age / 5) * 5} s ago`;
	return age < 3600 ? `${Math.floor(age / 60)} min ago` : `${Math.floor(age / 3600)} h ago`;
}

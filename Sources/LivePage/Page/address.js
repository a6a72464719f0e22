// What the visitor chose: in the address and, but for the camera, remembered in this browser.
const query = new URLSearchParams(location.search);
const flag = (name) => query.has(name) && query.get(name) !== "false";

export const isKiosk = flag("kiosk");
export const isTransparent = flag("transparent");
export const isDemo = flag("demo");
export const chosen = { overlay: null, mirror: null, levels: null, fit: "contain", hide: ["blinks"], shutter: true };
try {
	const kept = JSON.parse(localStorage.getItem("facet")) ?? {};
	for (const name of Object.keys(chosen)) chosen[name] = kept[name] ?? chosen[name];
} catch {
	// Storage is off, or holds something else.
}
for (const name of ["overlay", "fit"]) chosen[name] = query.get(name) ?? chosen[name];
for (const name of ["mirror", "levels"]) if (query.has(name)) chosen[name] = flag(name);
if (query.has("hide")) chosen.hide = query.get("hide").split(",");
if (!["cover", "fill"].includes(chosen.fit)) chosen.fit = "contain";
if (!Array.isArray(chosen.hide)) chosen.hide = [];
readCamera();

export function readCamera() {
	chosen.camera = new URLSearchParams(location.search).get("camera") ?? "";
}

// Another camera is another step of the browser's history.
export function save({ isStep = false } = {}) {
	const { camera, ...lasting } = chosen;
	const hide = chosen.hide.join();
	const parts = {
		camera: camera || null,
		...lasting,
		shutter: null,
		levels: chosen.levels || null,
		fit: chosen.fit === "contain" ? null : chosen.fit,
		hide: hide === "blinks" ? null : hide,
		kiosk: isKiosk ? "" : null,
		transparent: isTransparent ? "" : null,
		demo: isDemo ? "" : null,
	};
	const text = String(new URLSearchParams(Object.entries(parts).filter(([, value]) => value !== null)));
	history[isStep ? "pushState" : "replaceState"](null, "", `${location.pathname}${text && "?"}${text}`);
	try {
		localStorage.setItem("facet", JSON.stringify(lasting));
	} catch {
		// Then the address alone holds it.
	}
}

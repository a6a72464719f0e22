// The names of conditions, and the words where there is no picture.
import { clockOf } from "./dom.js";

const attentions = {
	too_dark: "too dark to see expressions",
	too_small: "a face is too small to see its expression",
	turned_away: "a face is turned too far away to see its expression",
	low_frame_rate: "too few frames are analysed to see blinks",
	no_metadata: "no picture is shown: without metadata faces cannot be hidden",
	picture_too_large: "a picture is not shown: it has too many pixels or bytes",
	not_measured: "a face is seen that cannot be measured: covered, bent or blurred",
	over_budget: "more faces than the processor can measure in each frame",
};
export const attentionWords = (row) => row.attention.map((name) => attentions[name] ?? name).join("; ");

// The conditions are also the classes of the status chip.
export const conditionWords = {
	live: "Live",
	starting: "Starting",
	off: "Off",
	lost: "Camera lost",
	stopped: "Stopped",
	gone: "Daemon gone",
	waiting: "No daemon",
	cut: "No connection",
};

export function condition({ state, camera }, broker) {
	if (!broker.connected) return "cut";
	const cameras = { streaming: "live", starting: "starting", lost: "lost", disabled: "off" };
	return (state === "online" ? cameras[camera] : { stopped: "stopped", offline: "gone", gone: "gone" }[state]) ?? "waiting";
}

const since = (time) => (time ? ` since ${clockOf(time)}` : "");
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
const argument = (text) => (/^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// Commands name the broker as the server was told it.
const brokerOption = ({ url }) => (url ? ` --mqtt ${argument(url)}` : "");

export function withoutCameras(broker) {
	if (!broker.connected) return withoutBroker(broker);
	return {
		title: "No camera yet",
		text: "Start the daemon at a camera of this machine; facet devices lists them.",
		command: `facetd --source auto${brokerOption(broker)}`,
	};
}

function withoutBroker(broker) {
	if (broker.isServerGone && broker.isLocal) {
		return {
			icon: "power",
			title: `facet serve has ended${since(broker.since)}`,
			text: "It ends with its clip; with --loop it plays that again and again.",
			command: `facet serve --source ${argument(broker.address)} --loop`,
		};
	}
	return {
		icon: "broken",
		title: `No connection${since(broker.since)}`,
		text: `${sentence(broker.reason ?? `no connection to ${broker.address}`)} Trying again.`,
		command: broker.isServerGone ? "facet serve" : `facet doctor${brokerOption(broker)}`,
	};
}

// Null where there is a picture.
export function advice(row, broker, { hasPicture, isWaiting, control }) {
	const option = brokerOption(broker);
	const start = `facetd --source auto${row.base === "faces" ? "" : ` --topic ${argument(row.base)}`}${option}`;
	switch (condition(row, broker)) {
		case "cut":
			return withoutBroker(broker);
		case "waiting":
			return { title: "No daemon yet", text: `None publishes under ${row.base}.`, command: start };
		case "starting":
			return { title: "Opening the camera", text: row.detail ?? "The first picture comes in a moment." };
		case "off":
			return {
				icon: "power",
				title: "Detection is off",
				text: `The camera is closed${since(row.since)}.`,
				...(control ? { action: true } : { command: `facet detect on --camera ${argument(row.base)}${option}` }),
			};
		case "lost": {
			const why = row.detail ?? row.reason ?? "it gives no pictures";
			return {
				icon: "broken",
				title: `Camera lost${since(row.since)}`,
				text: `${sentence(why)} The daemon keeps trying.`,
				command: why.includes("facet devices") ? "facet devices" : null,
			};
		}
		case "stopped":
			return { icon: "power", title: "The daemon ended", text: `It has been stopped${since(row.since)}.`, command: start };
		case "gone":
			return {
				icon: "broken",
				title: "The daemon is gone",
				text: "It was killed, unplugged, or cut off from the network.",
				command: `facet doctor${option}`,
			};
		default:
			if (hasPicture || (row.faces && !isWaiting)) return null; // Without pictures heads are drawn.
			if (row.attention.includes("picture_too_large")) return { title: "Pictures too large" };
			if (isWaiting) return { title: "Waiting for the first picture" };
			return {
				title: row.faces === 0 ? "Nobody is in view" : "No pictures",
				text: "Faces are drawn as heads. Pictures stay in the daemon unless it runs with",
				command: "facetd --set preview.enabled=true",
			};
	}
}

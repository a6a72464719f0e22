// The live page. Messages come over one streamed response, each with a JSON header, an SVG document and a JPEG; the looks
// are drawn by the server, this script only lays the document over the picture.
const $ = (id) => document.getElementById(id);
const traceSeconds = 20;
const wish = { look: null, mirror: null, camera: "" };
const cameras = new Map(); // base -> { figure, canvas, ... }
const faces = new Map(); // "base id" -> { row, samples, ... }
let stream = null; // what ends the response that is being read
let state = null;
let lastEvent = 0;
let retry = 500;
let lastMessage = 0;

// Connection

// Another wish is another response: the one that is being read ends.
async function connect() {
  stream?.abort();
  const mine = (stream = new AbortController());
  const query = new URLSearchParams(Object.entries(wish).filter(([, value]) => value !== null && value !== ""));
  let reason = "the server of this page is gone; trying again";
  try {
    const response = await fetch(`live?${query}`, { signal: mine.signal });
    if (response.status === 401) return location.reload();
    if (response.ok) await read(response.body.getReader());
    else reason = (await response.text()).trim();
  } catch {
    // Its end is told below, whatever ended it.
  }
  if (mine !== stream) return;
  showBroker({ connected: false, reason });
  setTimeout(() => mine === stream && connect(), retry);
  retry = Math.min(5000, retry * 2);
}

// Cuts the response into messages: the lengths of three parts, each four bytes, then the parts.
async function read(reader) {
  let [chunks, held, needed] = [[], 0, 12];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    lastMessage = performance.now();
    chunks.push(value);
    held += value.length;
    while (held >= needed) {
      const bytes = new Uint8Array(held);
      let offset = 0;
      for (const chunk of chunks) {
        bytes.set(chunk, offset);
        offset += chunk.length;
      }
      const lengths = [0, 4, 8].map((place) => new DataView(bytes.buffer).getUint32(place));
      const end = lengths.reduce((sum, length) => sum + length, 12);
      const isWhole = held >= end;
      if (isWhole) take(bytes, lengths);
      chunks = [isWhole ? bytes.subarray(end) : bytes];
      held = chunks[0].length;
      needed = isWhole ? 12 : end;
    }
  }
}

function take(bytes, [header, svg, jpeg]) {
  retry = 500;
  const message = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + header)));
  if (message.type === "state") return showState(message);
  const overlay = new Blob([bytes.subarray(12 + header, 12 + header + svg)], { type: "image/svg+xml" });
  const start = 12 + header + svg;
  const picture = message.picture ? new Blob([bytes.subarray(start, start + jpeg)], { type: "image/jpeg" }) : null;
  showFrame(message, overlay, picture);
}

async function switchDetection(camera, on) {
  const response = await fetch("detect", { method: "POST", body: JSON.stringify({ camera, on }) });
  if (response.status === 401) location.reload();
}

// Pictures

function camera(base) {
  let entry = cameras.get(base);
  if (entry) return entry;
  const figure = document.createElement("figure");
  figure.dataset.base = base;
  const button = document.createElement("button");
  button.className = "picture";
  button.type = "button";
  const canvas = document.createElement("canvas");
  canvas.className = `live ${$("gravity").value}`;
  canvas.width = 640;
  canvas.height = 480;
  button.append(canvas);
  button.onclick = () => choose(wish.camera === base ? "" : base);
  const caption = document.createElement("figcaption");
  const [name, text, detect, why] = ["strong", "span", "button", "p"].map((tag) => document.createElement(tag));
  text.className = "state";
  why.className = "why";
  detect.type = "button";
  detect.hidden = true;
  caption.append(name, text, detect, why);
  figure.append(button, caption);
  entry = { figure, button, canvas, name, text, detect, why, busy: false, waiting: null };
  cameras.set(base, entry);
  $("cameras").append(figure);
  return entry;
}

// One picture is decoded at a time; of those that come meanwhile the newest follows.
async function showFrame(header, overlay, jpeg) {
  const entry = camera(header.camera);
  addSamples(header);
  if (wish.look === null) $("look").value = header.look;
  if (wish.mirror === null) $("mirror").checked = header.mirrored;
  if (entry.busy) {
    entry.waiting = [header, overlay, jpeg];
    return;
  }
  entry.busy = true;
  try {
    await draw(entry, header, overlay, jpeg);
  } finally {
    entry.busy = false;
    const next = entry.waiting;
    entry.waiting = null;
    if (next) showFrame(...next);
  }
}

async function draw(entry, header, overlay, jpeg) {
  const [picture, marks] = await Promise.all([jpeg ? createImageBitmap(jpeg) : null, image(overlay)]);
  // Finer than the picture, so that the lines of the overlay are sharp on a large screen.
  const scale = Math.max(1, Math.min(3, Math.ceil(1280 / header.width)));
  const [width, height] = [header.width * scale, header.height * scale];
  const { canvas } = entry;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.aspectRatio = `${header.width} / ${header.height}`;
  }
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, width, height);
  if (picture) {
    context.save();
    if (header.mirrored) context.setTransform(-1, 0, 0, 1, width, 0);
    context.drawImage(picture, 0, 0, width, height);
    context.restore();
    picture.close();
  }
  context.drawImage(marks, 0, 0, width, height);
  canvas.dataset.frame = header.frame ?? "";
  canvas.dataset.look = header.look;
  canvas.dataset.picture = header.picture;
}

async function image(blob) {
  const address = URL.createObjectURL(blob);
  const element = new Image();
  element.src = address;
  try {
    await element.decode();
  } finally {
    URL.revokeObjectURL(address);
  }
  return element;
}

// State

function showBroker(broker) {
  const element = $("broker");
  element.className = broker.connected ? "good" : "bad";
  element.textContent = broker.connected
    ? `connected to ${broker.address}`
    : `no connection${broker.address ? ` to ${broker.address}` : ""}${broker.reason ? `: ${broker.reason}` : ""}`;
}

function showState(message) {
  state = message;
  showBroker(message.broker);
  const look = $("look");
  if (!look.options.length) {
    for (const name of message.looks) look.add(new Option(name, name));
    if (wish.look) look.value = wish.look;
  }
  for (const row of message.cameras) showCamera(row, message);
  const bases = new Set(message.cameras.map((row) => row.base));
  for (const [base, entry] of cameras) {
    if (bases.has(base)) continue;
    entry.figure.remove();
    cameras.delete(base);
  }
  $("logout").hidden = !message.login;
  $("further").hidden = message.further === 0;
  $("further").textContent = `${message.further} more cameras are not shown.`;
  const many = message.cameras.length > 1;
  $("all").hidden = !many || !wish.camera;
  $("cameras").classList.toggle("one", !many || Boolean(wish.camera));
  for (const event of message.events) showEvent(event, many);
  const isWatching = message.cameras.some((row) => row.state === "online" && row.camera === "streaming");
  $("nobody").textContent = isWatching ? "Nobody is there." : "No camera is watching.";
  const known = new Set(message.cameras.filter((row) => row.faces > 0).map((row) => row.base));
  for (const face of faces.values()) if (!known.has(face.base)) removeFace(face);
}

const words = {
  too_dark: "the picture is too dark to see expressions",
  too_small: "a face is too small to see its expression",
  turned_away: "a face is turned too far away to see its expression",
  low_frame_rate: "too few frames are analysed to see blinks",
  no_metadata: "no picture is shown: the daemon publishes no metadata, by which faces are hidden",
  picture_too_large: "a preview picture is not shown: it has too many bytes",
  over_budget: "more faces than the processor budget allows to measure in each frame",
};

function showCamera(row, { broker, cameras: rows, control }) {
  const entry = camera(row.base);
  const unknown = broker.connected ? "no daemon yet" : "no connection";
  const condition = row.state === "online" ? (row.camera ?? "online") : row.state ? `daemon ${row.state}` : unknown;
  const streams = row.state === "online" && row.camera === "streaming";
  // A rate needs more than one picture.
  const preview = entry.canvas.dataset.picture === "true" ? "" : ", no preview";
  const rate = !streams ? "" : row.rate ? `, ${row.rate} pictures/s` : preview;
  const isNamesake = rows.some((other) => other.base !== row.base && other.name === row.name);
  entry.name.textContent = isNamesake ? `${row.name} (${row.base})` : row.name;
  // Unknown while nothing is being looked at.
  const faces = row.faces === undefined ? "" : row.faces === 1 ? ", 1 face" : `, ${row.faces} faces`;
  entry.text.textContent = `${condition}${rate}${faces}`;
  const isBad = row.state !== "online" || row.camera === "lost";
  entry.figure.classList.toggle("bad", isBad);
  const reasons = row.attention.map((attention) => words[attention] ?? attention);
  if (row.camera === "lost" && row.detail) reasons.unshift(row.detail);
  entry.why.textContent = reasons.join("; ");
  entry.why.classList.toggle("mild", !isBad);
  entry.why.hidden = reasons.length === 0;
  entry.button.setAttribute("aria-label", `${entry.name.textContent}: ${entry.text.textContent}`);
  entry.detect.hidden = !control || row.state !== "online" || row.detecting === undefined;
  entry.detect.textContent = row.detecting ? "Switch detection off" : "Switch detection on";
  entry.detect.onclick = () => switchDetection(row.base, !row.detecting);
  entry.figure.hidden = Boolean(wish.camera) && wish.camera !== row.base;
}

function showEvent(event, many) {
  if (event.number <= lastEvent) return;
  lastEvent = event.number;
  const item = document.createElement("li");
  const [time, kind, text] = ["time", "b", "span"].map((tag) => document.createElement(tag));
  const date = new Date(event.time);
  time.dateTime = event.time;
  time.textContent = isNaN(date) ? "" : date.toLocaleTimeString([], { hour12: false });
  kind.textContent = event.kind;
  text.textContent = (many ? `${event.camera}: ` : "") + event.text;
  item.append(time, kind, text);
  const list = $("events");
  list.prepend(item);
  while (list.children.length > 60) list.lastChild.remove();
}

// Faces and their traces

function addSamples(header) {
  const now = performance.now() / 1000;
  const present = new Set();
  for (const face of header.faces) {
    const key = `${header.camera} ${face.id}`;
    present.add(key);
    let entry = faces.get(key);
    if (!entry) {
      const row = document.createElement("li");
      const [values, trace] = ["div", "canvas"].map((tag) => document.createElement(tag));
      values.className = "values";
      const [name, angles] = ["span", "span"].map((tag) => document.createElement(tag));
      values.append(name, angles);
      const chart = document.createElement("div");
      chart.className = "chart";
      const [smile, eyes] = ["smile", "eyes"].map((text) => {
        const legend = document.createElement("span");
        legend.className = text;
        legend.textContent = text;
        return legend;
      });
      chart.append(smile, eyes, trace);
      row.append(values, chart);
      entry = { key, base: header.camera, row, name, angles, trace, smile, eyes, samples: [] };
      faces.set(key, entry);
      $("faces").append(row);
    }
    const eyes = [face.leftClosed, face.rightClosed].filter((closed) => closed !== undefined);
    const open = eyes.length ? eyes.filter((closed) => !closed).length / eyes.length : null;
    entry.samples.push({ time: now, smile: face.smile ?? null, open });
    const doing = [face.smiling && "smiling", open === 0 && "eyes closed", face.looking && "looking"];
    const state = doing.filter(Boolean).join(", ");
    entry.name.textContent = `${cameras.size > 1 ? `${header.camera} ` : ""}face ${face.id}${state ? ` – ${state}` : ""}`;
    entry.angles.textContent = ["yaw", "pitch", "roll"]
      .filter((angle) => face[angle] !== undefined)
      .map((angle) => `${angle} ${Math.round(face[angle])}°`)
      .join("  ");
  }
  for (const face of faces.values()) if (face.base === header.camera && !present.has(face.key)) removeFace(face);
}

function removeFace(face) {
  face.row.remove();
  faces.delete(face.key);
}

function drawTraces() {
  const now = performance.now() / 1000;
  for (const face of faces.values()) {
    while (face.samples.length > 1 && face.samples[1].time < now - traceSeconds) face.samples.shift();
    const { trace } = face;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [trace.clientWidth * ratio, trace.clientHeight * ratio];
    if (trace.width !== width || trace.height !== height) [trace.width, trace.height] = [width, height];
    const context = trace.getContext("2d");
    context.clearRect(0, 0, width, height);
    context.lineWidth = 1.5 * ratio;
    // The legends' colours, which follow the light or dark scheme.
    line(context, face.samples, "smile", now, width, 0, height / 2, getComputedStyle(face.smile).color);
    line(context, face.samples, "open", now, width, height / 2, height / 2, getComputedStyle(face.eyes).color);
  }
  $("nobody").hidden = faces.size > 0;
}

function line(context, samples, value, now, width, top, height, color) {
  context.beginPath();
  let last = null;
  const place = (time) => width * (1 - (now - time) / traceSeconds);
  const level = (share) => top + height * (0.92 - 0.84 * share);
  for (const sample of samples) {
    if (sample[value] === null) {
      last = null;
      continue;
    }
    // A value holds until the next one comes.
    if (last === null) context.moveTo(place(sample.time), level(sample[value]));
    else context.lineTo(place(sample.time), level(last));
    context.lineTo(place(sample.time), level(sample[value]));
    last = sample[value];
  }
  if (last !== null) context.lineTo(width, level(last));
  context.strokeStyle = color;
  context.stroke();
}

// Controls

function choose(base) {
  wish.camera = base;
  connect();
  for (const face of [...faces.values()]) if (base && face.base !== base) removeFace(face);
  if (state) showState(state);
}

function fit(value) {
  $("gravity").value = value;
  for (const canvas of document.querySelectorAll("canvas.live")) {
    canvas.classList.remove("contain", "cover", "fill");
    canvas.classList.add(value);
  }
}

$("look").onchange = (event) => {
  wish.look = event.target.value;
  connect();
};
$("mirror").onchange = (event) => {
  wish.mirror = event.target.checked;
  connect();
};
$("gravity").onchange = (event) => fit(event.target.value);
$("all").onclick = () => choose("");
$("controls").onsubmit = (event) => event.preventDefault();

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  const number = Number(event.key);
  if (event.key === "l" && $("look").options.length) {
    $("look").selectedIndex = ($("look").selectedIndex + 1) % $("look").options.length;
    $("look").dispatchEvent(new Event("change"));
  } else if (event.key === "m") {
    $("mirror").click();
  } else if (event.key === "g") {
    const gravity = $("gravity");
    fit(gravity.options[(gravity.selectedIndex + 1) % gravity.options.length].value);
  } else if (event.key === "Escape") {
    choose("");
  } else if (number >= 1 && state?.cameras[number - 1]) {
    choose(state.cameras[number - 1].base);
  }
});

setInterval(() => {
  drawTraces();
  // The server sends a state every two seconds at the least.
  if (performance.now() - lastMessage < 8000) return;
  lastMessage = performance.now();
  connect();
}, 100);
connect();

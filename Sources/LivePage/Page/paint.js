// Paints a frame of the stream into a canvas: the picture, if there is one, and what is drawn at faces.
let isBusy = false;

// Frames that come meanwhile, and those that cannot be decoded, are left out: then it is false.
export async function paint(canvas, header, overlay, jpeg) {
	if (isBusy) return false;
	isBusy = true;
	const marks = new Image();
	marks.src = URL.createObjectURL(overlay);
	try {
		const [picture] = await Promise.all([jpeg ? createImageBitmap(jpeg) : null, marks.decode()]);
		const { width, height, mirrored } = header;
		Object.assign(canvas, { width, height });
		const context = canvas.getContext("2d");
		if (mirrored) context.setTransform(-1, 0, 0, 1, width, 0);
		if (picture) context.drawImage(picture, 0, 0, width, height);
		context.resetTransform();
		context.drawImage(marks, 0, 0, width, height);
		picture?.close();
		return true;
	} catch {
		return false;
	} finally {
		URL.revokeObjectURL(marks.src);
		isBusy = false;
	}
}

// A text that is read out when it changes is written only then.
export function setText(element, text) {
	if (element.textContent !== text) element.textContent = text;
}

// What is said beside the picture of a camera.
export const caption = (name, jpeg) => (jpeg ? name : `${name}: no pictures come (preview.enabled), or they have more than 16 million pixels: faces are drawn as heads`);

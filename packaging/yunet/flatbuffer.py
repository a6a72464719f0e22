"""Writes FlatBuffers: strings, vectors and tables, without a schema."""
import struct


class FlatBuffer:
    """A FlatBuffer, written from its end to its start: what is pointed to lies behind what points to it.

    A place is counted in bytes from the end.
    """

    def __init__(self):
        self.parts, self.length, self.layouts = [], 0, {}

    def put(self, data, alignment=1):
        """Puts bytes in front, so that their start is a multiple of `alignment` from the end."""
        padding = -(self.length + len(data)) % alignment
        self.parts.append(data + bytes(padding))
        self.length += len(data) + padding
        return self.length

    def vector(self, data, count, alignment=4):
        self.put(data, max(alignment, 4))
        return self.put(struct.pack("<I", count))

    def string(self, text):
        return self.vector(text.encode() + b"\0", len(text.encode()))

    def numbers(self, values):
        return self.vector(struct.pack(f"<{len(values)}i", *values), len(values))

    def pointers(self, targets):
        self.put(b"", 4)
        places = range(self.length + 4 * len(targets), self.length, -4)
        distances = [place - target for place, target in zip(places, targets)]
        return self.vector(struct.pack(f"<{len(targets)}I", *distances), len(targets))

    def table(self, fields):
        """A table of fields: number, type ("at" for a place, else that of struct), value. Zero is what is left out."""
        end, places = self.length, {}
        for number, kind, value in fields:
            if value and kind == "at":
                self.put(b"", 4)
                places[number] = self.put(struct.pack("<I", self.length + 4 - value))
            elif value:
                places[number] = self.put(struct.pack(f"<{kind}", value), struct.calcsize(kind))
        self.put(b"", 4)
        start = self.length + 4
        layout = [start - places[number] if number in places else 0 for number in range(max(places, default=-1) + 1)]
        layout = struct.pack(f"<{len(layout) + 2}H", 2 * len(layout) + 4, start - end, *layout)
        # Tables of the same layout share its description, which is in front of the first of them.
        known = self.layouts.setdefault(layout, start + len(layout))
        self.put(struct.pack("<i", known - start))
        if known > start:
            self.put(layout)
        return start

    def finished(self, root, identifier):
        """The whole file, whose start is a multiple of 16 bytes from its end."""
        padding = -(self.length + 8) % 16
        self.put(identifier + bytes(padding))
        self.put(struct.pack("<I", self.length + 4 - root))
        return b"".join(reversed(self.parts))

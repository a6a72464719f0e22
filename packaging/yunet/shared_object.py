"""Reads arrays of floats out of a shared object, by their names. Nothing of it is loaded or run."""
import math
import struct


class Unusable(Exception):
    """What is wrong with the file."""


class SharedObject:
    """An ELF file and the arrays in it that have names."""

    PT_LOAD, SHT_DYNSYM, STT_OBJECT, SHN_UNDEF = 1, 11, 1, 0
    HEADER, SEGMENT, SECTION, SYMBOL = "<16sHHIQQQIHHHHHH", "<IIQQQQQQ", "<IIQQQQIIQQ", "<IBBHQQ"

    def __init__(self, path):
        self.path = path
        try:
            with open(path, "rb") as file:
                self.data = file.read()
        except OSError as error:
            self.refuse(error.strerror)
        if self.data[:6] != b"\x7fELF\x02\x01":
            self.refuse("it is not a little-endian 64-bit ELF file")
        header = self.unpack(self.HEADER, 0)
        segments = [self.unpack(self.SEGMENT, header[5] + i * header[9]) for i in range(header[10])]
        self.sections = [self.unpack(self.SECTION, header[6] + i * header[11]) for i in range(header[12])]
        # Address, place in the file, length there.
        self.loaded = [(entry[3], entry[2], entry[5]) for entry in segments if entry[0] == self.PT_LOAD]
        self.arrays = dict(self.named_arrays())

    def refuse(self, reason):
        raise Unusable(f"cannot take the weights from {self.path}: {reason}")

    def part(self, place, length):
        if place + length > len(self.data):
            self.refuse(f"it ends after {len(self.data)} bytes and should have {length} at byte {place}")
        return self.data[place : place + length]

    def unpack(self, layout, place):
        return struct.unpack(layout, self.part(place, struct.calcsize(layout)))

    def named_arrays(self):
        """Yields name, address and length of each object that the file defines."""
        for _, kind, _, _, place, length, link, *_ in self.sections:
            if kind != self.SHT_DYNSYM:
                continue
            if link >= len(self.sections):
                self.refuse(f"its table of symbols has its names in section {link} of {len(self.sections)}")
            names = self.part(*self.sections[link][4:6])
            for entry in range(place, place + length, struct.calcsize(self.SYMBOL)):
                name, info, _, section, address, size = self.unpack(self.SYMBOL, entry)
                if info & 15 == self.STT_OBJECT and section != self.SHN_UNDEF:
                    yield names[name:].split(b"\0", 1)[0].decode("ascii", "replace"), (address, size)

    def floats(self, name, count):
        """The bytes of an array of `count` 32-bit floats."""
        if name not in self.arrays:
            self.refuse(f"it has no array {name}")
        address, length = self.arrays[name]
        if length != 4 * count:
            self.refuse(f"its array {name} has {length} bytes, expected {4 * count}")
        for start, place, available in self.loaded:
            if start <= address and address + length <= start + available:
                array = self.part(place + address - start, length)
                if not all(map(math.isfinite, struct.unpack(f"<{count}f", array))):
                    self.refuse(f"its array {name} has a value that is not a finite number")
                return array
        self.refuse(f"its array {name} is at address {address}, which no segment has")

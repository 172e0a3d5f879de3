"""Broken pictures, generated from a seed: mutated or truncated files, files with false sizes, and
decompression bombs."""

import io
import random
import struct
import zlib

from PIL import Image

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind, data, crc=None):
    return (
        struct.pack(">I", len(data))
        + kind
        + data
        + struct.pack(">I", zlib.crc32(kind + data) if crc is None else crc)
    )


def chunks(png):
    at = len(SIGNATURE)
    while at + 12 <= len(png):
        length = struct.unpack(">I", png[at : at + 4])[0]
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += 12 + length


def header(width, height, depth=8, colour=0, interlace=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace))


def saved(image, format, **options):
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


def bombs():
    """Small files that expand to large ones."""
    zeros = zlib.compress(bytes(20_000_000), 9)
    text = b"Comment\0\0" + zeros
    tiny = saved(Image.new("L", (8, 8)), "PNG")
    end = tiny.index(b"IDAT") - 4
    largest = 2**31 - 1
    for width, height in [
        (30_000, 30_000),
        (largest, largest),
        (12_001, 1),
        (1, 12_001),
        (0, 5),
        (2**32 - 1, 1),
        (8_000, 6_000),
        (6_000, 6_000),
    ]:
        yield SIGNATURE + header(width, height) + chunk(b"IDAT", zeros) + chunk(b"IEND", b"")
        yield (
            SIGNATURE
            + header(width, height, depth=16, colour=6, interlace=1)
            + chunk(b"IDAT", zeros)
            + chunk(b"IEND", b"")
        )
    for kind in (b"zTXt", b"iCCP", b"iTXt"):
        yield tiny[:end] + chunk(kind, text) * 50 + tiny[end:]
    yield tiny[:end] + chunk(b"tEXt", b"x") * 100_000 + tiny[end:]
    yield tiny[:end] + chunk(b"IDAT", b"") * 100_000 + tiny[end:]
    yield tiny + bytes(1_000_000)
    yield tiny + bytes(6_500_000)
    yield SIGNATURE + chunk(b"IEND", b"")
    photo = bytearray(saved(Image.new("RGB", (64, 64)), "JPEG"))
    frame = photo.index(b"\xff\xc0")
    for width, height in [(65_535, 65_535), (65_535, 1), (12_001, 100), (0, 0), (6_000, 6_000)]:
        photo[frame + 5 : frame + 9] = struct.pack(">HH", height, width)
        yield bytes(photo)
    scans = saved(Image.new("RGB", (3_000, 3_000)), "JPEG", progressive=True)
    scan = scans[scans.index(b"\xff\xda") : -2]
    yield scans[:-2] + scan * max(1, 500_000 // len(scan)) + b"\xff\xd9"


def oddities():
    """Intact pictures of rare kinds, and files that are not supported pictures."""
    image = Image.radial_gradient("L")
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        source = Image.new(mode, (31, 17)) if mode == "I;16" else image.convert(mode)
        yield saved(source, "PNG")
    for mode in ("L", "RGB", "CMYK", "YCbCr"):
        yield saved(image.convert(mode), "JPEG", progressive=mode == "RGB")
    for format in ("GIF", "BMP", "TIFF", "WEBP", "PPM", "ICO"):
        yield saved(image.convert("RGB"), format)
    yield from (b"", b"\x89", SIGNATURE, b"\xff\xd8", b"\xff\xd8\xff", b"\xff\xd8\xff\xd9")
    yield from (b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF89a", b"%PDF-1.7")
    yield saved(Image.new("RGB", (1, 1)), "PNG")
    yield saved(Image.new("RGB", (1, 12_000)), "PNG")
    yield saved(Image.new("RGB", (1, 1)), "JPEG")


def mutations(png, seed):
    """Yields endless random mutations of a good picture."""
    chance = random.Random(seed)
    with Image.open(io.BytesIO(png)) as image:
        photo = image.convert("RGB")
        originals = [
            png,
            saved(photo.convert("P"), "PNG"),
            saved(photo.convert("RGBA"), "PNG"),
            saved(photo, "JPEG"),
            saved(photo, "JPEG", progressive=True),
        ]
    while True:
        data = bytearray(chance.choice(originals))
        how = chance.randrange(6)
        if how == 0:
            yield bytes(data[: chance.randrange(len(data))])
        elif how == 1:
            for _ in range(chance.randint(1, 20)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            yield bytes(data)
        elif how == 2:
            at, count = chance.randrange(len(data)), chance.randrange(200)
            yield bytes(data[:at] + chance.randbytes(count) + data[at + chance.randrange(200) :])
        elif how == 3:
            yield bytes(data[: chance.randrange(2, 40)] + chance.randbytes(chance.randrange(2000)))
        elif data.startswith(SIGNATURE):
            # Mutates the contents of chunks. Each mutated chunk gets a correct checksum, so that
            # the decoder continues.
            parts = [(kind, bytearray(content)) for kind, content in chunks(bytes(data))]
            kind, content = chance.choice(parts)
            if content:
                for _ in range(chance.randint(1, 4)):
                    content[chance.randrange(len(content))] = chance.randrange(256)
            if how == 5:
                chance.shuffle(parts)
            yield SIGNATURE + b"".join(chunk(kind, bytes(content)) for kind, content in parts)
        else:
            markers = [
                at
                for at in range(len(data) - 4)
                if data[at] == 0xFF and data[at + 1] not in (0, 0xFF)
            ]
            at = chance.choice(markers) + chance.randrange(1, 12)
            data[min(at, len(data) - 1)] = chance.randrange(256)
            yield bytes(data)

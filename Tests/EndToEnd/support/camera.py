"""The video of a fake camera, which films one picture. Chromium plays it in a loop."""

import io

from PIL import Image

WIDTH, HEIGHT, MARGIN = 640, 480, 40


def film(picture, path):
    """Writes a video of a PNG or JPEG picture, or of a blank wall if the picture is None. The
    format is YUV4MPEG2: a header, then raw frames."""
    scene = Image.new("L", (WIDTH, HEIGHT), 200)
    if picture:
        side = HEIGHT - 2 * MARGIN
        scene.paste(
            Image.open(io.BytesIO(picture)).convert("L").resize((side, side)),
            ((WIDTH - side) // 2, MARGIN),
        )
    colours = bytes([128]) * (WIDTH * HEIGHT // 2)
    path.write_bytes(
        f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F10:1 Ip A1:1 C420\n".encode()
        + (b"FRAME\n" + scene.tobytes() + colours) * 2
    )
    return path

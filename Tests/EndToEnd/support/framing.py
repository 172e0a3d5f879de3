"""Malformed HTTP, each with a name and the acceptable statuses."""

import random

GOOD = b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
BODY = b'{"phoneNumber":"x"}'
POST = b"POST /v1/auth/codes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
REFUSED = (400, 404, 405, 411, 413, 414, 415, 417, 422, 431, 501, 505)
SMUGGLED = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"

FRAMINGS = [
    ("nothing", b"", ()),
    ("line breaks only", b"\r\n\r\n\r\n", REFUSED),
    ("no version", b"GET /health/live\r\n\r\n", REFUSED),
    ("HTTP/0.9", b"GET /health/live HTTP/0.9\r\nHost: x\r\n\r\n", REFUSED),
    ("HTTP/1.0 without a host", b"GET /health/live HTTP/1.0\r\n\r\n", (200, *REFUSED)),
    ("HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", REFUSED),
    ("HTTP/9.9", b"GET /health/live HTTP/9.9\r\nHost: x\r\n\r\n", REFUSED),
    ("no host", b"GET /health/live HTTP/1.1\r\n\r\n", (200, *REFUSED)),
    ("two hosts", b"GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", (200, *REFUSED)),
    ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(200)), REFUSED),
    (
        "both lengths",
        POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
        REFUSED,
    ),
    ("two lengths", POST + b"Content-Length: 5\r\nContent-Length: 19\r\n\r\n" + BODY, REFUSED),
    ("negative length", POST + b"Content-Length: -1\r\n\r\n" + BODY, REFUSED),
    ("length with a plus", POST + b"Content-Length: +19\r\n\r\n" + BODY, REFUSED),
    ("huge length", POST + b"Content-Length: 99999999999999999999\r\n\r\n" + BODY, REFUSED),
    ("hexadecimal length", POST + b"Content-Length: 0x13\r\n\r\n" + BODY, REFUSED),
    ("length too long", POST + b"Content-Length: 500\r\n\r\n" + BODY, REFUSED),
    ("unknown encoding", POST + b"Transfer-Encoding: magic\r\n\r\n" + BODY, REFUSED),
    (
        "chunked twice",
        POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n13\r\n" + BODY + b"\r\n0\r\n\r\n",
        REFUSED,
    ),
    (
        "chunked but not last",
        POST + b"Transfer-Encoding: chunked, gzip\r\n\r\n13\r\n" + BODY + b"\r\n0\r\n\r\n",
        REFUSED,
    ),
    ("bad chunk size", POST + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n" + BODY, REFUSED),
    (
        "huge chunk size",
        POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n" + BODY,
        REFUSED,
    ),
    (
        "chunk without its end",
        POST + b"Transfer-Encoding: chunked\r\n\r\n13\r\n" + BODY + b"XX0\r\n\r\n",
        REFUSED,
    ),
    (
        "endless chunk extension",
        POST + b"Transfer-Encoding: chunked\r\n\r\n13;" + b"x" * 100_000,
        REFUSED,
    ),
    ("chunks that stop", POST + b"Transfer-Encoding: chunked\r\n\r\n13\r\n{", REFUSED),
    (
        "many tiny chunks",
        POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 20_000 + b"0\r\n\r\n",
        REFUSED,
    ),
    (
        "large trailers",
        POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        REFUSED,
    ),
    ("space before the colon", b"GET /health/live HTTP/1.1\r\nHost : x\r\n\r\n", REFUSED),
    (
        "header without a colon",
        b"GET /health/live HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n",
        REFUSED,
    ),
    ("header without a name", b"GET /health/live HTTP/1.1\r\nHost: x\r\n: value\r\n\r\n", REFUSED),
    (
        "folded header",
        b"GET /health/live HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
        (200, *REFUSED),
    ),
    ("zero in a header", b"GET /health/live HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n", REFUSED),
    ("line feeds only", b"GET /health/live HTTP/1.1\nHost: x\n\n", (200, *REFUSED)),
    ("bare carriage return", b"GET /health/live HTTP/1.1\rHost: x\r\r", REFUSED),
    ("endless method", b"G" * 100_000, REFUSED),
    ("endless target", b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", REFUSED),
    (
        "endless header",
        b"GET /health/live HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        REFUSED,
    ),
    (
        "endless header name",
        b"GET /health/live HTTP/1.1\r\nHost: x\r\n" + b"a" * 200_000 + b": x\r\n\r\n",
        REFUSED,
    ),
    (
        "many headers",
        b"GET /health/live HTTP/1.1\r\nHost: x\r\n"
        + b"".join(b"X%d: y\r\n" % i for i in range(5000))
        + b"\r\n",
        REFUSED,
    ),
    ("target with spaces", b"GET /health/live and more HTTP/1.1\r\nHost: x\r\n\r\n", REFUSED),
    ("target with bytes", b"GET /\xff\xfe\x80 HTTP/1.1\r\nHost: x\r\n\r\n", REFUSED),
    ("target with a zero", b"GET /health\x00/live HTTP/1.1\r\nHost: x\r\n\r\n", REFUSED),
    ("no target", b"GET  HTTP/1.1\r\nHost: x\r\n\r\n", REFUSED),
    ("CONNECT", b"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n", REFUSED),
    (
        "Expect",
        POST + b"Expect: 100-continue\r\nContent-Length: 19\r\n\r\n" + BODY,
        (100, *REFUSED),
    ),
    (
        "upgrade",
        GOOD[:-2]
        + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n\r\n",
        (200, *REFUSED),
    ),
    ("a good request, then garbage", GOOD + b"\x00\x01garbage\r\n\r\n", (200, *REFUSED)),
    ("pipelining", GOOD * 50, (200,)),
    ("pipelining of a body too short", POST + b"Content-Length: 5\r\n\r\n" + BODY + GOOD, REFUSED),
    (
        "a body behind a GET",
        b"GET /health/live HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" + GOOD,
        (200, *REFUSED),
    ),
]


def random_framings(seed, count):
    """Yields valid requests with pieces cut out or inserted."""
    chance = random.Random(seed)
    length, chunked = b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n"
    pieces = [
        b"\r\n",
        b"\n",
        b"\r",
        b"\x00",
        b" ",
        b":",
        b"\xff",
        length,
        chunked,
        b"HTTP/1.1",
        b"0\r\n\r\n",
        GOOD,
    ]
    in_chunks = POST + chunked + b"\r\n13\r\n" + BODY + b"\r\n0\r\n\r\n"
    originals = [GOOD * 2, POST + b"Content-Length: 19\r\n\r\n" + BODY, in_chunks]
    for number in range(count):
        data = chance.choice(originals)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(data))
            data = data[:at] + chance.choice([*pieces, b""]) + data[at + chance.randrange(4) :]
        yield f"random framing {number}", data, (100, 200, *REFUSED)

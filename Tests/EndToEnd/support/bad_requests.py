"""Bad requests for every operation of an OpenAPI document, generated from a seed. Some are valid by
chance."""

import json
import random
import uuid

from support.raw_http import request

# Operations that would end the caller's session. They are called only without a session.
ENDS_THE_SESSION = {"deleteAccount", "signOut", "endSession", "changePhoneNumber"}

ODD_VALUES = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    2**31,
    2**63,
    -(2**63) - 1,
    10**400,
    "",
    " ",
    "\0",
    "x",
    "💥" * 50,
    "é\u0301" * 40,
    "null",
    "a" * 5000,
    "\u202e",
    "\ud800",
    [],
    {},
    [[]],
    [None],
    {"": {}},
    {"a": 1},
    ["alert"],
    ["checkIn", "checkIn"],
    "2026-13-45T99:99:99Z",
    "0000-00-00T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
    "1e999",
    "+0000000",
    "+99999999999999999",
    "00000000-0000-0000-0000-000000000000",
]
ODD_LITERALS = [
    "1e999",
    "-1e999",
    "NaN",
    "Infinity",
    "-0",
    "-0.0",
    "0.1e-999",
    "9223372036854775808",
    "1" * 2000,
    "0x10",
    "1.",
    ".5",
    "01",
    "'x'",
    "tru",
    "",
]
ODD_BODIES = [
    b"",
    b" ",
    b"{",
    b"}",
    b"[]",
    b"null",
    b"true",
    b"0",
    b'""',
    b"{}",
    b"{}{}",
    b"\xff\xfe{}",
    b'{"a":"\xff\xfe\xc0\xaf"}',
    b"\xef\xbb\xbf{}",
    b'{"a":1,"a":2}',
    b'{"a":"\\ud800"}',
    b'{"\\u0000":1}',
    b"[" * 50_000,
    b'{"a":' * 20_000,
    b"[" * 400_000 + b"]" * 400_000,
    b'"' + b"x" * 900_000 + b'"',
    b'{"a":"' + b"y" * 1_100_000 + b'"}',
    b'{"a":[' + b"1," * 300_000 + b"1]}",
    b"\x00" * 1000,
    b"<xml/>",
    b"a=b&c=d",
    "{}".encode("utf-16"),
    "{}".encode("utf-32"),
    b'{"phoneNumber":"+15550100000"} trailing',
    b'{"name":"\\uD83D"}',
    b"{'a':1}",
    b"{a:1}",
    b"// comment\n{}",
]
ODD_IDS = [
    "x",
    "0",
    "-1",
    "current",
    "null",
    "%00",
    "..",
    ".",
    "%2e%2e",
    "%2F",
    "%2f..%2f",
    "%",
    "%zz",
    "%ff%fe",
    "💥",
    "a" * 3000,
    "0" * 36,
    "g" * 36,
    "00000000-0000-0000-0000-00000000000",
    "00000000-0000-0000-0000-0000000000000",
    "{id}",
    "*",
    "'; DROP TABLE users; --",
    "1 OR 1=1".replace(" ", "%20"),
    "00000000-0000-0000-0000-000000000000",
    "%30" * 36,
    "+0000000-0000-0000-0000-000000000000",
    "0x000000-0000-0000-0000-000000000000",
]
ODD_PATHS = [
    "/",
    "//",
    "//v1/me",
    "/v1//me",
    "/v1/me/",
    "/v1/me//picture",
    "/v1/../v1/me",
    "/v1/./me",
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/v1/me%00",
    "/v1/me%2fpicture",
    "/V1/ME",
    "/v1/mé",
    "/v1/%ff",
    "/v1/me?%00",
    "/v1/me#fragment",
    "/v1/me;x=y",
    "*",
    "http://example.org/v1/me",
    "//example.org/v1/me",
    "/v1/contacts/%F0%9F%92%A5",
    "/v2/me",
    "/v1",
    "/health",
    "/metrics/x",
    "/openapi.json/",
    "/" + "a/" * 2000,
    "/v1/" + "%41" * 2000,
    "v1/me",
    "?",
    "/\\..\\",
]
ODD_QUERIES = [
    "limit=0",
    "limit=201",
    "limit=-1",
    "limit=1e2",
    "limit=",
    "limit",
    "limit=%00",
    "limit=99999999999999999999",
    "limit=+5",
    "limit=5&limit=6",
    "limit=٣",
    "before=",
    "before=x",
    "before=0.",
    "before=1.00000000-0000-0000-0000-000000000000",
    "before=999999999999999.ffffffff-ffff-ffff-ffff-ffffffffffff",
    "before=-1.00000000-0000-0000-0000-000000000000",
    "before=%F0%9F%92%A5",
    "unknown=1",
    "&&&",
    "=",
    "%",
    "limit=1&before=" + "9" * 3000,
    "limit=5%26",
    "open=",
    "open",
    "open=1",
    "open=TRUE",
    "open=%00",
    "open=true&open=x",
]
ODD_METHODS = [
    "GET",
    "PUT",
    "POST",
    "PATCH",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "TRACE",
    "PROPFIND",
    "BREW",
    "get",
    "G-T",
    "CONNECT",
    "X" * 200,
]
ODD_TYPES = [
    "text/plain",
    "application/xml",
    "application/json; charset=utf-16",
    "application/json;;;",
    "application/JSON",
    "",
    "multipart/form-data; boundary=x",
    "image/png",
    "application/json, text/plain",
    "application/x-www-form-urlencoded",
    "*/*",
    "image/svg+xml",
    "x" * 1000,
    "application/problem+json",
]
ODD_TOKENS = [
    "",
    "Bearer",
    "Bearer ",
    "Bearer x",
    "Basic eDp5",
    "bearer " + "A" * 43,
    "Bearer " + "A" * 43,
    "Bearer " + "A" * 5000,
    "Bearer " + "é" * 43,
    "Bearer a b",
    "Bearer \t",
    "Bearer " + "A" * 42 + "=",
    "Token x",
]
ODD_HEADERS = [
    ("Last-Event-ID", "-1"),
    ("Last-Event-ID", "x"),
    ("Last-Event-ID", "9" * 30),
    ("Last-Event-ID", "999999999999999999"),
    ("Accept", "image/webp"),
    ("X-Forwarded-For", "1.2.3.4, x"),
    ("X-Request-ID", "\x07"),
    ("Range", "bytes=5-1"),
    ("If-None-Match", "*"),
    ("Accept-Encoding", "zstd;q=x"),
    ("Cookie", "a" * 4000),
    ("X-Long", "b" * 15_000),
    ("X-Longer", "c" * 40_000),
    ("Expect", "200-fine"),
    ("Upgrade", "h2c"),
    ("Content-Encoding", "gzip"),
    ("Connection", "close"),
    ("Content-Language", "\xff"),
    ("Origin", "null"),
    ("Forwarded", 'for="[::1]'),
]


class BadRequests:
    """Generates requests: `next()` returns a method and the request's bytes."""

    def __init__(self, document, seed, tokens, foreign_ids):
        self.random = random.Random(seed)
        self.document = document
        self.tokens = tokens
        self.ids = foreign_ids
        self.operations = [
            (method.upper(), path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        ]
        self.last = None

    def next(self):
        dice = self.random.random
        if self.last and dice() < 0.03:
            return self.last  # a replay
        method, path, operation = self.random.choice(self.operations)
        may_have_token = operation["operationId"] not in ENDS_THE_SESSION
        target, body, content_type, headers = self.target(path), b"", None, []
        media = operation.get("requestBody", {}).get("content", {})
        if media:
            content_type = next(iter(media))
            is_json = content_type == "application/json"
            body = (
                self.json_body(media[content_type]["schema"])
                if is_json
                else self.random.randbytes(self.random.randrange(3000))
            )
        if dice() < 0.06:
            method, may_have_token = self.random.choice(ODD_METHODS), False
        if dice() < 0.05:
            target, may_have_token = self.random.choice(ODD_PATHS), method == "GET"
        if dice() < 0.15:
            target += "?" + self.random.choice(ODD_QUERIES)
        if dice() < 0.05:
            content_type = self.random.choice(ODD_TYPES)
        if dice() < 0.03:
            body = self.random.choice(ODD_BODIES)
        if content_type is not None:
            headers.append(("Content-Type", content_type))
        if dice() < 0.1:
            headers.append(self.random.choice(ODD_HEADERS))
        if dice() < 0.01:
            headers += [(f"X-Many-{number}", "x") for number in range(300)]
        if may_have_token and dice() < 0.9:
            headers.append(("Authorization", f"Bearer {self.random.choice(self.tokens)}"))
        elif dice() < 0.7:
            headers.append(("Authorization", self.random.choice(ODD_TOKENS)))
        self.last = method, request(method, target, headers, body)
        return self.last

    def target(self, path):
        if "{id}" not in path:
            return path
        known = self.random.choice(self.ids)
        return path.replace(
            "{id}",
            self.random.choice(
                [str(uuid.uuid4()), known, known.upper(), known[:-1], self.random.choice(ODD_IDS)]
            ),
        )

    def json_body(self, schema):
        """Returns a valid body with one fault in it."""
        value = self.example(schema)
        dice = self.random.random()
        if dice < 0.1:
            return self.random.choice(ODD_BODIES)
        if isinstance(value, dict) and value:
            name = self.random.choice(list(value))
            if dice < 0.2:
                del value[name]
            elif dice < 0.3:
                value[
                    self.random.choice(
                        ["extra", "", "__proto__", name + " ", name.upper(), "\0", "x" * 3000]
                    )
                ] = 1
            elif dice < 0.75:
                value[name] = self.random.choice(ODD_VALUES)
            elif dice < 0.9:
                value[name] = "@@"
                return self.encode(value).replace(
                    b'"@@"', self.random.choice(ODD_LITERALS).encode()
                )
        return self.encode(value)

    def encode(self, value):
        text = json.dumps(value, ensure_ascii=self.random.random() < 0.5)
        return text.encode("utf-8", "surrogatepass")

    def example(self, schema):
        if "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        if "anyOf" in schema:
            return self.example(self.random.choice(schema["anyOf"]))
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object":
            return {name: self.example(part) for name, part in schema.get("properties", {}).items()}
        if kind == "array":
            return [self.example(schema["items"]) for _ in range(self.random.randrange(3))]
        if kind == "integer":
            return self.random.randint(schema.get("minimum", 0), schema.get("maximum", 100))
        return {"boolean": True, "null": None, "number": 1.5}.get(
            kind,
            self.random.choice(
                ["a text", "+15550100001", self.random.choice(self.ids), "2026-01-01T00:00:00Z"]
            ),
        )

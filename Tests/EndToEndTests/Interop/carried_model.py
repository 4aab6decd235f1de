"""Request heads that chance makes, and what the documents say becomes of each: refused, or carried in exactly these bytes.

A model of its own: it says in another way what RFC 9110, RFC 9112, RFC 9113 and the pages ask for, and shares no code with the gateway.
"""
import re
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

PLACES = {b"one": "http/1.1", b"two": "h2"}
"""The first segment chooses the upstream, and with it the version that this speaks."""
KEEPS_PARAMETERS = {b"one"}
IDENTITY = ["X-Auth-Subject", "X-Department"]
TOKEN = "X-Api-Token"

# Names whose values the gateway reads, states, compares or repeats, each with a value that is in order.

FRAMING = {"Content-Length": b"12", "Transfer-Encoding": b"chunked"}
HOP_BY_HOP = {"Connection": b"keep-alive, X-Gone", "Keep-Alive": b"timeout=5", "TE": b"trailers", "Trailer": b"X-Sum", "Upgrade": b"h2c",
              "Proxy-Connection": b"keep-alive",
              "Proxy-Authorization": b"Basic YTpi", "Proxy-Authenticate": b"Basic", "Proxy-Authentication-Info": b"a=b",
              "HTTP2-Settings": b"AAMAAABk"}
NEVER = {"Authorization": b"Bearer a.b.c", TOKEN: b"a.b.c", "X-Auth-Subject": b"eve", "X-Department": b"sales", "X-Request-ID": b"abc-1",
         "Via": b"1.1 a", "Proxy": b"http://a",
         "X-HTTP-Method-Override": b"DELETE", "X-HTTP-Method": b"PUT", "X-Method-Override": b"PUT", "X-Original-URL": b"/closed",
         "X-Rewrite-URL": b"/closed",
         "Forwarded": b"for=192.0.2.1", "X-Forwarded-For": b"192.0.2.1", "X-Forwarded-Proto": b"https", "X-Forwarded-Host": b"b.example",
         "X-Forwarded-Port": b"443",
         "X-Forwarded-Prefix": b"/a", "X-Forwarded-Server": b"a", "X-Real-IP": b"192.0.2.1", "X-Forwarded-User": b"eve", "X-Client-IP": b"192.0.2.1",
         "True-Client-IP": b"192.0.2.1", "X-Cluster-Client-IP": b"192.0.2.1", "CF-Connecting-IP": b"192.0.2.1", "X-Original-Method": b"PUT",
         "X-Envoy-Original-Path": b"/a",
         "X-Scheme": b"https", "Front-End-Https": b"on", "Client-Cert": b":AA==:", "Client-Cert-Chain": b":AA==:",
         "SSL-Client-Verify": b"SUCCESS", "X-Client-DN": b"CN=eve",
         "Remote-User": b"eve", "X-Remote-Group": b"admin", "X-Auth-Request-Email": b"eve@example.com", "X-WebAuth-User": b"eve",
         "Tailscale-User-Login": b"eve",
         "X-Consumer-Username": b"eve", "X-Amzn-Oidc-Identity": b"eve", "X-MS-Client-Principal-Name": b"eve",
         "X-Goog-Authenticated-User-Id": b"7", "X-JWT-Assertion": b"a.b.c",
         "X-Accel-Internal": b"/a", "OIDC_CLAIM_sub": b"eve", "SM_USER": b"eve", "iv-user": b"eve"}
"""Those that no upstream gets from a client: credentials, who the user is, what other proxies state."""
FORWARDED = {"Origin": b"https://app.example", "Access-Control-Request-Method": b"PUT", "Access-Control-Request-Headers": b"x-a",
             "Sec-WebSocket-Key": b"dGhlIHNhbXBsZSBub25jZQ==",
             "Sec-WebSocket-Version": b"13", "Sec-WebSocket-Protocol": b"chat", "Sec-WebSocket-Extensions": b"permessage-deflate",
             "Content-Type": b"text/plain", "Max-Forwards": b"3", "Grpc-Timeout": b"1S",
             "traceparent": b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate": b"a=b"}
SINGLE = {"Expect": b"100-continue", "Host": b"a.example"}

# Those that are only forwarded.

OPAQUE = ["Cookie", "User-Agent", "Referer", "Accept", "Accept-Language", "From", "X-Title", "Content-Disposition", "Cache-Control",
          "CF-IPCity", "Date", "X-Auth-Token", "X-Many"]
TOKEN_BYTES = b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
HOSTS = [b"a.example", b"A.Example:8080", b"127.0.0.1", b"[2001:db8::1]:443"]
WORDS = ["é", "Zoë", "名", "naïve café", "ß", "İ", "😀", "à", "Å", "\u00a0", "\u0085"]


def folded(name):
    """The name as a reader sees it that takes every other character for a hyphen."""
    return re.sub(rb"[^0-9a-z]", b"-", name.lower())


def names(*tables):
    return {folded(name.encode()) for table in tables for name in table}


NOT_COPIED = names(NEVER, HOP_BY_HOP, FRAMING, SINGLE)
READ = NOT_COPIED | names(FORWARDED)
NEVER_OTHERWISE = names(FRAMING, HOP_BY_HOP)
"""Refused under a name that some readers take for one of these."""


@dataclass
class Head:
    number: bytes
    version: str  # as the client speaks
    method: bytes = b"GET"
    place: bytes = b"one"
    target: bytes = b"/"
    host: bytes = b"a.example"
    fields: list = field(default_factory=list)
    body: bytes = None
    is_chunked: bool = False
    last_word: bytes = b"HTTP/1.1"
    is_sensitive: bool = False

    def lines(self):
        """As HTTP/1.1 has it."""
        framing = []
        if self.body is not None:
            framing = [b"Transfer-Encoding: chunked"] if self.is_chunked else [b"Content-Length: %d" % len(self.body)]
        fields = [name + b":" + before + value + after for name, value, before, after in self.fields]
        # Wherever chance put it among the fields.
        at = int.from_bytes(self.number[-1:], "big") % (len(fields) + 1)
        fields = fields[:at] + [b"Host: " + self.host] + fields[at:] + framing
        head = b"\r\n".join([self.method + b" " + self.target + b" " + self.last_word] + fields) + b"\r\n\r\n"
        if self.body is None:
            return head
        return head + (b"%x;a=b\r\n%b\r\n0\r\n\r\n" % (len(self.body), self.body) if self.is_chunked else self.body)

    def section(self):
        """As HTTP/2 has it."""
        pseudo = [(b":method", self.method), (b":scheme", b"http"), (b":authority", self.host), (b":path", self.target)]
        length = [] if self.body is None or self.is_chunked else [(b"content-length", b"%d" % len(self.body))]
        return pseudo + [(name, value) for name, value, _, _ in self.fields] + length


@dataclass
class Carried:
    """What the upstream sees. The value of `x-request-id` is the gateway's own, and None here."""
    method: bytes
    target: bytes
    host: bytes
    fields: list
    body: bytes
    is_chunked: bool

    def lines(self):
        """A pattern of the head in HTTP/1.1."""
        lines = [self.method + b" " + self.target + b" HTTP/1.1", b"Host: " + self.host]
        lines += [name + b": " + value for name, value in self.fields if value is not None]
        lines.append(b"X-Request-Id: ")
        framing = b""
        if self.body is not None:
            framing = b"Transfer-Encoding: chunked\r\n" if self.is_chunked else b"Content-Length: %d\r\n" % len(self.body)
        return b"\r\n".join(lines), framing + b"\r\n"

    def section(self):
        """The fields in HTTP/2, in their order."""
        pseudo = [(b":method", self.method), (b":scheme", b"http"), (b":path", self.target), (b":authority", self.host)]
        length = [] if self.body is None or self.is_chunked else [(b"content-length", b"%d" % len(self.body))]
        return pseudo + [(name.lower(), value) for name, value in self.fields] + length + [(b"te", b"trailers")]


class Refused(Exception):
    """With the status that the client is answered."""


# Chance.

class Grammar:
    def __init__(self, chance):
        self.chance = chance

    def bytes_of(self, alphabet, count):
        return bytes(self.chance.choices(alphabet, k=count))

    def high(self):
        """What stands above 0x7F: one byte, or a character in UTF-8."""
        chance = self.chance
        if chance.random() < 0.3:
            return chance.choice(WORDS).encode()
        return chance.choice([b"\x85", b"\xa0"]) if chance.random() < 0.2 else bytes([chance.randrange(0x80, 0x100)])

    def insert(self, text, what):
        place = self.chance.randrange(len(text) + 1)
        return text[:place] + what + text[place:]

    def opaque(self):
        chance = self.chance
        length = chance.choice([0, 1, 3, 8, 8, 20, 60]) if chance.random() < 0.99 else 3000
        value = self.bytes_of(b"abcXYZ019=;,:/ \t\"(){}[]%+-_.@\\|~<>?#&'*!", length)
        for _ in range(chance.choice([0, 1, 1, 2, 5])):
            value = self.insert(value, self.high())
        value = value.strip(b" \t")
        # Most keep what readers of Latin-1 take for white space from the ends.
        if chance.random() < 0.98:
            value = value.strip(b" \t\x85\xa0")
        return value

    def segment(self):
        chance = self.chance
        kind = chance.random()
        if kind < 0.02:
            return chance.choice([b"closed", b"%63losed", b"clos%65d", b"closed;a=b", b"Closed", b"closed%20", b"%e7losed", b"closed|"])
        if kind < 0.03:
            return chance.choice([b".", b"..", b"%2e%2E", b"..;a", b"", b";a", b"%2F", b"%2f", b"%5c", b"\\", b"%00", b"%7F", b"%", b"%4", b"%zz",
                                  b"%2541", b"%25%34%31"])
        text = self.bytes_of(b"ab0-._~!$&'()*+,=:@" if kind < 0.5 else b"abc|^`{}\"<>[]", chance.choice([1, 2, 5, 12]))
        for _ in range(chance.choice([0, 0, 1, 2])):
            what = chance.random()
            if what < 0.4:
                text += chance.choice(WORDS).encode()
            elif what < 0.42:
                text = self.insert(text, self.high())
            elif what < 0.46:
                text += chance.choice([b"%3B", b";v=1", b"%E9", b"%ED%A0%80", b"%C0%AF"])
            else:
                text += chance.choice([b"%41", b"%7c", b"%C3%A9", b"%c3%a9", b"%20", b"%7e", b"%22", b"%25"])
        return text

    def target(self, place):
        chance = self.chance
        path = b"/" + (place if chance.random() < 0.95 else b"%%%02x" % place[0] + place[1:])
        for _ in range(chance.choice([0, 1, 1, 2, 4])):
            path += b"/" + self.segment()
        if chance.random() < 0.1:
            path += b"/"
        if chance.random() < 0.4:
            return path
        query = self.bytes_of(b"abc=&|{}^`\\\"<>[]%+;,:@/?!'()*~$0", chance.choice([0, 1, 5, 20]))
        for _ in range(chance.choice([0, 0, 1, 3])):
            query = self.insert(query, chance.choice(WORDS).encode())
        if chance.random() < 0.03:
            query = self.insert(query, self.high())
        return path + b"?" + query

    def name(self, text, version):
        """The name in a case of chance; HTTP/2 has small letters alone."""
        if version == "h2":
            return text.lower()
        kind = self.chance.random()
        return text.lower() if kind < 0.3 else text.upper() if kind < 0.35 else text

    def white_space(self):
        return self.chance.choice([b" ", b" ", b" ", b" ", b"", b"\t", b"  "]), self.chance.choice([b"", b"", b"", b"", b" ", b"\t "])

    def head(self, number, version):
        chance = self.chance
        head = Head(number, version, place=chance.choice(list(PLACES)))
        head.method = chance.choice([b"GET", b"GET", b"GET", b"POST", b"PUT", b"DELETE", b"OPTIONS", b"PATCH"])
        head.host = chance.choice(HOSTS)
        head.target = self.target(head.place)
        fields = [(b"X-Number", number)]
        for name in chance.sample(OPAQUE, chance.randrange(1, 8)):
            for _ in range(chance.randrange(1, 4) if name in ("X-Many", "Cookie") else 1):
                fields.append((name.encode(), self.opaque()))
        if chance.random() < 0.3:
            fields.append((b"zz" + self.bytes_of(TOKEN_BYTES, chance.randrange(1, 20)), self.opaque()))
        stated = NEVER | FORWARDED | (HOP_BY_HOP if version != "h2" else {})
        for name in chance.sample(list(stated), chance.choice([0, 0, 1, 2, 3])):
            fields.append((name.encode(), stated[name]))
            if name == "Connection":
                fields.append((b"X-Gone", self.opaque()))
        if head.method in (b"POST", b"PUT", b"PATCH", b"DELETE") and chance.random() < 0.5:
            head.body = self.bytes_of(bytes(range(256)), chance.randrange(1, 40))
            head.is_chunked = chance.random() < 0.4
        chance.shuffle(fields)
        head.fields = [(self.name(name, version), value, *self.white_space()) for name, value in fields]
        if version != "h2" and chance.random() < 0.05:
            head.target = b"http://" + head.host + head.target
        if chance.random() < 0.34:
            self.touch(head)
        return head

    def touch(self, head):
        """Puts a byte above 0x7F where somebody would be mistaken about it."""
        chance = self.chance
        head.is_sensitive = True
        kind = chance.random()
        if kind < 0.04:
            head.method = self.insert(head.method, self.high())
        elif kind < 0.06 and head.version != "h2":
            head.last_word = self.insert(head.last_word, self.high())
        elif kind < 0.14:
            head.host = self.insert(head.host, self.high())
        elif kind < 0.2:
            path, mark, query = head.target.partition(b"?")
            # Between letters, which are no part of a character in UTF-8.
            text = b"a" + chance.choice([b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\x80"]) + b"b"
            if mark and chance.random() < 0.5:
                query = self.insert(query, text)
            else:
                path += b"/" + text
            head.target = path + mark + query
        elif kind < 0.3:
            # At an end of a value that is only forwarded.
            value = self.opaque()
            edge = chance.choice([b"\x85", b"\xa0"])
            self.put(head, chance.choice(OPAQUE[1:]).encode(), edge + value if chance.random() < 0.5 else value + edge)
        elif kind < 0.4:
            name = chance.choice(OPAQUE + sorted(READ)) if chance.random() < 0.5 else b"zz"
            name = name.encode() if isinstance(name, str) else name
            self.put(head, self.insert(name, self.high()), b"a")
        else:
            tables = chance.choice([NEVER, NEVER, FORWARDED, HOP_BY_HOP, FRAMING, {"Expect": SINGLE["Expect"]}])
            name = chance.choice(list(tables))
            spelling = name.encode()
            if chance.random() < 0.15:
                spelling = spelling.replace(b"-", chance.choice([b"_", b"."]))
            self.put(head, spelling, self.insert(tables[name], self.high()))

    def put(self, head, name, value):
        if name.lower() in (b"content-length", b"transfer-encoding"):
            head.body = None
        head.fields.insert(self.chance.randrange(len(head.fields) + 1), (self.name(name, head.version), value, *self.white_space()))


# The model.

def escaped(found):
    return b"%%%02X" % found[0][0]


def one_form(path):
    """The one form of a path, and the decoded names of its segments."""
    form, found = [], []
    segments = path.split(b"/")[1:]
    for index, segment in enumerate(segments):
        if not re.fullmatch(rb"(?:[^%]|%[0-9A-Fa-f]{2})*", segment, re.S):
            raise Refused(400)
        plain = unquote_to_bytes(segment)
        if re.search(rb"[\x00-\x1f\x7f/\\]|%[0-9A-Fa-f]{2}", plain):
            raise Refused(400)
        utf8(plain)
        name = plain.partition(b";")[0]
        is_end = index == len(segments) - 1 and not plain
        if name in (b".", b"..") or not name and not is_end:
            raise Refused(400)

        def unescaped(found):
            byte = unquote_to_bytes(found[0])
            return byte if re.fullmatch(rb"[0-9A-Za-z._~-]", byte) else found[0].upper()
        text = re.sub(rb"[\x80-\xff|^`{}\"<>\[\]]", escaped, segment)
        form.append(re.sub(rb"%[0-9A-Fa-f]{2}", unescaped, text))
        found.append((name, b";" in plain))
    return b"/" + b"/".join(form), found


def utf8(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        raise Refused(400) from None


def carried_target(head):
    text = head.target
    if text.startswith(b"http://"):
        text = text[len(b"http://" + head.host):]
    if re.search(rb"[\x00-\x20\x7f#]", text):
        raise Refused(400)
    path, mark, query = text.partition(b"?")
    utf8(query)
    form, segments = one_form(path)
    return form + mark + re.sub(rb"[\x80-\xff]", escaped, query), segments


def value_carried(name, value):
    if re.search(rb"[\x80-\xff]", value):
        if folded(name) in READ or re.match(rb"[\x85\xa0]", value) or re.search(rb"[\x85\xa0]\Z", value):
            raise Refused(400)
    return value


def carried_fields(head):
    fields = []
    for name, value, _, _ in head.fields:
        if not re.fullmatch(rb"[%b]+" % re.escape(TOKEN_BYTES), name):
            raise Refused(400)
        if folded(name) != name.lower() and folded(name) in NEVER_OTHERWISE:
            raise Refused(400)
        if head.version == "h2" and name == b"cookie":
            fields.append((name, value))
        else:
            fields.append((name, value_carried(name, value)))
    if head.version == "h2":
        fields = crumbs_joined(fields)
    nominated = {b"x-gone"} if any(name.lower() == b"connection" for name, _ in fields) else set()
    has_parent = any(name.lower() == b"traceparent" for name, _ in fields)
    return [(name, value) for name, value in fields
            if folded(name) not in NOT_COPIED | nominated and (name.lower() != b"tracestate" or has_parent)]


def crumbs_joined(fields):
    """The crumbs of a cookie are one field (RFC 9113 §8.2.3), the last."""
    crumbs = [value for name, value in fields if name == b"cookie"]
    if not crumbs:
        return fields
    # An empty crumb at an end leaves a space there, which no value has.
    whole = b"; ".join(crumbs).strip(b" \t")
    return [field for field in fields if field[0] != b"cookie"] + [(b"cookie", value_carried(b"cookie", whole))]


def judged(head, peer):
    """What becomes of a head from a client that nobody trusts."""
    for text in (head.method, head.last_word, head.host):
        if re.search(rb"[\x80-\xff]", text):
            raise Refused(400)
    fields = carried_fields(head)
    target, segments = carried_target(head)
    if head.place not in KEEPS_PARAMETERS and any(has for _, has in segments):
        raise Refused(400)
    if len(segments) > 1 and segments[1][0] == b"closed":
        raise Refused(401)
    ours = [(b"X-Forwarded-For", peer), (b"X-Forwarded-Proto", b"http"), (b"X-Forwarded-Host", head.host),
            (b"Via", b"2.0 bearward" if head.version == "h2" else b"1.1 bearward"), (b"X-Request-Id", None)]
    return Carried(head.method, target, head.host, fields + ours, head.body, head.is_chunked)

"""Reads recorded requests back with parsers that others wrote. A reading is a method, a target, the fields and the body.

Servers are given the bytes as they were recorded, and report in their answers what they have read.
"""
import re
import select
import socket
import subprocess

import h11
import hpack

import children

LAST = b"GET /last HTTP/1.1\r\nHost: last\r\nX-Number: last\r\n\r\n"
"""What stands behind the recorded requests, and must be read as itself."""
SECONDS = 20


class Wrong(Exception):
    """A parser has read something else than was written."""


def joined(fields):
    """The values of each name, as RFC 9110 §5.3 lets a recipient combine them; of cookies as RFC 9113 §8.2.3 does."""
    found = {}
    for name, value in fields:
        found.setdefault(name, []).append(value)
    return {name: (b"; " if name == b"cookie" else b", ").join(values) for name, values in found.items()}


# In this process.

def h11_requests(data):
    """What h11 reads, one request after another."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 20)
    connection.receive_data(data)
    readings, request, body = [], None, b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            if connection.trailing_data[0]:
                raise Wrong(f"h11 has bytes left: {connection.trailing_data[0][:80]}")
            return readings
        if isinstance(event, h11.Request):
            request, body = event, b""
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            readings.append((request.method, request.target, list(request.headers), body))
            connection.send(h11.Response(status_code=204, headers=[]))
            connection.send(h11.EndOfMessage())
            connection.start_next_cycle()


# Servers.

class Server:
    """A server that reports what it reads.

    `window` is how many requests may be under way on a connection of HTTP/1.1. `report` makes a reading of its answer; `fields` says what
    it reports of the fields that were sent.
    """

    def __init__(self, name, port, window, report, fields):
        self.name, self.port, self.window, self.report, self.fields = name, port, window, report, fields

    def requests(self, pieces):
        """What it reads of requests that stand one behind another; of one that it refuses, the status in place of a reading."""
        readings = []
        while len(readings) < len(pieces):
            readings += self.talk(pieces[len(readings):])
        return readings

    def talk(self, pieces):
        pieces = pieces + [LAST]
        readings, sent, buffer = [], 0, b""
        with socket.create_connection(("127.0.0.1", self.port), SECONDS) as connection:
            while len(readings) < len(pieces):
                if sent < len(pieces) and sent - len(readings) <= self.window // 2:
                    end = min(len(pieces), len(readings) + self.window)
                    connection.sendall(b"".join(pieces[sent:end]))
                    sent = end
                more = connection.recv(1 << 18)
                if not more:
                    raise Wrong(f"{self.name} ends behind {len(readings)} of {len(pieces) - 1} requests, before {pieces[len(readings)][:200]}")
                buffer += more
                while (answer := http1_answer(buffer)) is not None:
                    status, body, length = answer
                    buffer = buffer[length:]
                    if status != 200:
                        return readings + [status]
                    readings.append(self.report(body))
            if buffer or readings.pop()[1] != b"/last":
                raise Wrong(f"{self.name} has read more than {len(pieces) - 1} requests")
        return readings

    def streams(self, data):
        """What it reads of a recorded connection of HTTP/2: by stream a reading, or what came in its place."""
        client = FrameReader()
        with socket.create_connection(("127.0.0.1", self.port), SECONDS) as connection:
            # Behind the preface and the first frame: leave to send as much as there is.
            first = 24 + 9 + int.from_bytes(data[24:27], "big")
            rest = data[:first] + b"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x3f\xff\xff\xff" + data[first:]
            expected = streams_begun(data)
            while expected - client.ended.keys():
                readable, writable, _ = select.select([connection], [connection] if rest else [], [], SECONDS)
                if not readable and not writable:
                    raise Wrong(f"{self.name} does not answer streams {sorted(expected - client.ended.keys())[:9]}")
                if writable:
                    rest = rest[connection.send(rest[:1 << 16]):]
                if readable:
                    more = connection.recv(1 << 18)
                    if not more:
                        raise Wrong(f"{self.name} ends the connection: {client.last_word}")
                    client.receive(more)
        if client.ended.keys() != expected:
            raise Wrong(f"{self.name} has read streams that are not there")
        return {stream: self.report(body) if status == 200 else status for stream, (status, body) in client.ended.items()}


def http1_answer(buffer):
    """Status, body and length of the answer that begins the bytes; None if it is not whole."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return None
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", buffer[:end])
    whole = end + 4 + (int(length[1]) if length else 0)
    return (int(buffer[9:12]), buffer[end + 4:whole], whole) if len(buffer) >= whole else None


def frames(data):
    """Each whole frame: type, flags, stream and payload; then how many bytes they are."""
    at = 0
    while len(data) - at >= 9:
        length = int.from_bytes(data[at:at + 3], "big")
        if len(data) - at < 9 + length:
            break
        yield data[at + 3], data[at + 4], int.from_bytes(data[at + 5:at + 9], "big"), data[at + 9:at + 9 + length]
        at += 9 + length
    yield None, None, None, at


def streams_begun(data):
    return {stream for kind, _, stream, _ in frames(data[24:]) if kind == 1}


class FrameReader:
    """Answers over HTTP/2: by stream the status and the content."""

    def __init__(self):
        self.decoder = hpack.Decoder()
        self.buffer, self.open, self.ended, self.last_word = b"", {}, {}, None

    def receive(self, data):
        self.buffer += data
        for kind, flags, stream, payload in frames(self.buffer):
            if kind is None:
                self.buffer = self.buffer[payload:]
            elif kind == 1:
                status = dict(self.decoder.decode(payload, raw=True))[b":status"]
                self.open[stream] = [int(status), b""]
            elif kind == 0:
                self.open[stream][1] += payload
            elif kind == 3 and stream not in self.ended:
                self.ended[stream] = ("reset", b"")
            elif kind == 7:
                self.last_word = payload
            if kind in (0, 1) and flags & 1:
                self.ended[stream] = tuple(self.open[stream])


# Their configuration and reports.

NGINX_NAMES = ["x-number", "cookie", "user-agent", "referer", "accept", "accept-language", "from", "x-title", "content-disposition", "cache-control", "cf-ipcity", "date",
               "x-auth-token", "x-many", "origin", "content-type", "traceparent", "tracestate", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "via",
               "x-request-id", "authorization", "x-auth-subject", "x-api-token", "x-gone"]
"""nginx reports fields by name alone."""


def nginx(program, directory, port):
    report = "".join("\\n$http_" + name.replace("-", "_") for name in NGINX_NAMES)
    path = write(directory, "nginx.conf", f"""
daemon off; master_process off; pid {directory}/nginx.pid; error_log /dev/null;
events {{}}
http {{
  access_log off; client_body_temp_path {directory}/body; keepalive_requests 100000000; keepalive_time 100d;
  underscores_in_headers on; ignore_invalid_headers off; large_client_header_buffers 8 64k; http2_max_concurrent_streams 100000;
  server {{
    listen 127.0.0.1:{port}; http2 on; default_type application/octet-stream;
    location / {{ return 200 "$request_method\\n$request_uri{report}"; }}
  }}
}}
""")
    children.start([program, "-p", directory, "-c", path])

    def read(body):
        method, target, *values = body.split(b"\n")
        # A field without a value, and none, are the same here.
        return method, target, {name.encode(): value for name, value in zip(NGINX_NAMES, values, strict=True) if value}, None

    def fields(sent):
        return {name: value for name, value in joined(sent).items() if name.decode() in NGINX_NAMES and value}
    return Server("nginx", port, 100, read, fields)


def haproxy(program, directory, port):
    path = write(directory, "haproxy.cfg", f"""
global
  tune.bufsize 65536
  tune.h2.max-concurrent-streams 10000
defaults
  mode http
  timeout client 30s
frontend all
  bind 127.0.0.1:{port}
  http-request wait-for-body time 5s
  http-request return status 200 content-type application/octet-stream lf-string "%[method] %[pathq,hex] %[req.hdrs,hex] %[req.body,hex]"
""")
    children.start([program, "-q", "-db", "-f", path])

    def read(body):
        method, target, lines, content = body.split(b" ")
        fields = [tuple(line.split(b": ", 1)) for line in bytes.fromhex(lines.decode()).split(b"\r\n") if line]
        return method, bytes.fromhex(target.decode()), joined(fields), bytes.fromhex(content.decode())
    return Server("HAProxy", port, 100, read, joined)


def envoy(program, directory, port):
    path = write(directory, "envoy.yaml", f"""
static_resources:
  listeners:
  - address: {{socket_address: {{address: 127.0.0.1, port_value: {port}}}}}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: all
          codec_type: AUTO
          generate_request_id: false
          http2_protocol_options: {{max_concurrent_streams: 10000}}
          route_config: {{virtual_hosts: [{{name: all, domains: ["*"], routes: [{{match: {{prefix: "/"}}, direct_response: {{status: 404}}}}]}}]}}
          http_filters:
          - name: envoy.filters.http.lua
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua
              default_source_code:
                inline_string: |
                  function envoy_on_request(request)
                    local lines = {{}}
                    for name, value in pairs(request:headers()) do table.insert(lines, name .. ": " .. value .. "\\n") end
                    local body = request:body()
                    local content = body and body:getBytes(0, body:length()) or ""
                    request:respond({{[":status"] = "200"}}, table.concat(lines) .. "\\n" .. content)
                  end
          - name: envoy.filters.http.router
            typed_config: {{"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}}
""")
    children.start([program, "-c", path, "--concurrency", "1", "--disable-hot-restart", "--log-level", "critical"], stderr=subprocess.DEVNULL)

    def read(body):
        lines, _, content = body.partition(b"\n\n")
        sent = [tuple(line.split(b": ", 1)) for line in lines.split(b"\n")]
        pseudo = {name: value for name, value in sent if name.startswith(b":")}
        return pseudo[b":method"], pseudo[b":path"], fields((name, value) for name, value in sent if name not in pseudo), content

    def fields(sent):
        # It begins a cookie with the first crumb that is not empty.
        found = joined(sent)
        cookie = re.sub(rb"\A(; )+", b"", found.pop(b"cookie", b""))
        return found | {b"cookie": cookie} if cookie else found

    # It has two answers under way on a connection, and no more.
    return Server("Envoy", port, 2, read, fields)


def write(directory, name, text):
    path = f"{directory}/{name}"
    with open(path, "w") as file:
        file.write(text)
    return path

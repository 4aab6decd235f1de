"""Random request heads, carried by Bearward over HTTP/1.1 and HTTP/2, recorded where they arrive, and read back by five parsers.

Each head is refused where the model says so, and recorded byte for byte as the model says where not. What h11, h2, nginx, HAProxy and Envoy
read of the recorded bytes is the same requests. Prints what is not, and ends with 1 if there is any.
"""
import random
import re
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections import Counter

sys.dont_write_bytecode = True

import h2.config  # noqa: E402
import h2.connection  # noqa: E402
import h2.events  # noqa: E402
import h2.exceptions  # noqa: E402
import h11  # noqa: E402

import carried_readers as readers  # noqa: E402
import children  # noqa: E402
from carried_model import IDENTITY, KEEPS_PARAMETERS, PLACES, TOKEN, Grammar, Refused, judged  # noqa: E402

bearward, haproxy, nginx, envoy, directory, count, seed = sys.argv[1:]
grammar = Grammar(random.Random(int(seed)))
SECONDS = 20
BATCH = 320
BESIDE = 8
"""Client connections at a time."""
wrong = []
seen = Counter()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def tell(text):
    wrong.append(text)
    print("WRONG:", text, flush=True)


# Where requests arrive.

class Recorder(threading.Thread):
    """Two upstreams that keep all bytes, and answer each request with the number in it."""

    def __init__(self):
        super().__init__(daemon=True)
        self.selector = selectors.DefaultSelector()
        self.ports, self.ended = {}, []
        self.told, self.teller = socket.socketpair()
        self.selector.register(self.told, selectors.EVENT_READ, None)
        for version, kind in (("http/1.1", Recorded), ("h2", RecordedStreams)):
            listener = socket.create_server(("127.0.0.1", 0), backlog=256)
            self.ports[version] = listener.getsockname()[1]
            self.selector.register(listener, selectors.EVENT_READ, kind)
        self.is_empty = threading.Event()
        self.connections = set()

    def run(self):
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.told:
                    self.told.recv(1)
                    for connection in self.connections:
                        connection.socket.shutdown(socket.SHUT_WR)
                elif isinstance(key.data, type):
                    accepted = key.fileobj.accept()[0]
                    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    connection = key.data(accepted)
                    self.connections.add(connection)
                    self.selector.register(accepted, selectors.EVENT_READ, connection)
                else:
                    self.read(key.data)
            if not self.connections:
                self.is_empty.set()

    def read(self, connection):
        try:
            data = connection.socket.recv(1 << 18)
        except ConnectionResetError:
            # A request that is lost so is missed below.
            data = b""
        if data:
            self.is_empty.clear()
            try:
                return connection.receive(data)
            except h2.exceptions.ProtocolError as error:
                tell(f"h2 refuses: {error}")
        self.selector.unregister(connection.socket)
        connection.socket.close()
        self.connections.discard(connection)
        self.ended.append(connection)

    def take(self):
        """Ends all connections, each of them when the other side has seen that, and hands over what was recorded."""
        self.is_empty.clear()
        self.teller.send(b"x")
        if not self.is_empty.wait(SECONDS):
            raise SystemExit("WRONG: connections to the upstream stay open")
        ended, self.ended = self.ended, []
        return ended


class Recorded:
    """A connection of HTTP/1.1: each request from its first byte to its last, as a simple reader finds them."""

    def __init__(self, connection):
        self.socket, self.buffer, self.pieces = connection, b"", []

    def receive(self, data):
        self.buffer += data
        answers = []
        while (end := self.buffer.find(b"\r\n\r\n") + 4) > 3:
            head = self.buffer[:end].lower()
            if found := re.search(rb"\r\ncontent-length: (\d+)\r\n", head):
                end += int(found[1])
            elif b"\r\ntransfer-encoding: chunked\r\n" in head:
                last = self.buffer.find(b"\r\n0\r\n\r\n", end - 2)
                end = last + 7 if last >= 0 else len(self.buffer) + 1
            if end > len(self.buffer):
                break
            self.pieces.append(self.buffer[:end])
            self.buffer = self.buffer[end:]
            number = number_in(self.pieces[-1])
            answers.append(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(number), number))
        if answers:
            self.socket.sendall(b"".join(answers))


def number_in(piece):
    found = re.search(rb"(?i)\r\nx-number: ([^\r]*)\r\n", piece)
    return found[1] if found else b"none"


class RecordedStreams:
    """A connection of HTTP/2, read by h2 with all its checks."""

    def __init__(self, connection):
        self.socket, self.data, self.requests, self.bodies = connection, bytearray(), {}, {}
        self.reader = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding=None, normalize_inbound_headers=False))
        self.reader.initiate_connection()
        self.socket.sendall(self.reader.data_to_send())

    def receive(self, data):
        self.data += data
        for event in self.reader.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                self.requests[event.stream_id] = list(map(tuple, event.headers))
                self.bodies[event.stream_id] = b""
            elif isinstance(event, h2.events.DataReceived):
                self.bodies[event.stream_id] += event.data
                self.reader.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                number = dict(self.requests[event.stream_id]).get(b"x-number", b"none")
                self.reader.send_headers(event.stream_id, [(":status", "200"), ("content-length", str(len(number)))])
                self.reader.send_data(event.stream_id, number, end_stream=True)
        self.socket.sendall(self.reader.data_to_send())


# Who asks.

def talk(heads):
    """Sends heads on connections of HTTP/1.1, several beside each other; returns the answers by number."""
    answers = {}
    conversations = list(batched(heads))
    for start in range(0, len(conversations), BESIDE):
        beside = []
        for conversation in conversations[start:start + BESIDE]:
            connection = socket.create_connection(("127.0.0.1", ports["bearward"]), SECONDS)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            data = b"".join(head.lines() for head in conversation)
            # What stands behind a head that is refused is no request.
            data += b"GET /one/behind HTTP/1.1\r\nHost: a.example\r\nX-Number: behind\r\n\r\n" if ends(conversation[-1]) else b""
            connection.sendall(data)
            beside.append((connection, conversation))
        for connection, conversation in beside:
            answers |= answers_of(connection, conversation)
    return answers


def ends(head):
    """Whether the connection ends with the head: it is malformed, or its body may not be read any more."""
    return isinstance(expected[head.number], Refused) and (expected[head.number].args[0] == 400 or head.is_chunked)


def batched(heads):
    conversation = []
    for head in heads:
        conversation.append(head)
        if isinstance(expected[head.number], Refused) or len(conversation) == 16:
            yield conversation
            conversation = []
    if conversation:
        yield conversation


def answers_of(connection, conversation):
    answers, buffer = {}, b""
    with connection:
        for head in conversation:
            while (answer := readers.http1_answer(buffer)) is None:
                try:
                    more = connection.recv(1 << 16)
                except OSError as error:
                    return answers | {head.number: (type(error).__name__, b"")}
                if not more:
                    return answers | {head.number: ("ended", b"")}
                buffer += more
            answers[head.number], buffer = answer[:2], buffer[answer[2]:]
        if ends(conversation[-1]):
            try:
                buffer += connection.recv(1 << 16)
            except ConnectionError:
                pass
        if buffer:
            answers[b"behind"] = (buffer[:40], b"")
    return answers


def talk_streams(heads):
    """Sends heads as streams; returns the answers by number."""
    answers = {}
    for start in range(0, len(heads), 40):
        answers |= streams(heads[start:start + 40])
    return answers


def streams(heads):
    configuration = h2.config.H2Configuration(header_encoding=None, validate_outbound_headers=False, normalize_outbound_headers=False)
    client = h2.connection.H2Connection(configuration)
    client.initiate_connection()
    numbers, found = {}, {}
    for head in heads:
        stream = client.get_next_available_stream_id()
        numbers[stream] = head.number
        client.send_headers(stream, head.section(), end_stream=head.body is None)
        if head.body is not None:
            client.send_data(stream, head.body, end_stream=True)
        found[stream] = [None, b""]
    waiting = set(numbers)
    with socket.create_connection(("127.0.0.1", ports["bearward"]), SECONDS) as connection:
        while waiting:
            connection.sendall(client.data_to_send())
            data = connection.recv(1 << 18)
            if not data:
                tell(f"a connection of HTTP/2 ends before streams {sorted(waiting)[:9]}")
                break
            for event in client.receive_data(data):
                if isinstance(event, h2.events.ResponseReceived):
                    found[event.stream_id][0] = int(dict(event.headers)[b":status"])
                elif isinstance(event, h2.events.DataReceived):
                    found[event.stream_id][1] += event.data
                    client.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamReset):
                    if found[event.stream_id][0] is None:
                        found[event.stream_id][0] = "reset"
                    waiting.discard(event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    waiting.discard(event.stream_id)
                elif isinstance(event, h2.events.ConnectionTerminated):
                    tell(f"a connection of HTTP/2 ends: {event.error_code}")
                    waiting.clear()
    return {number: tuple(found[stream]) for stream, number in numbers.items()}


# Judgement.

def verdict(head):
    try:
        return judged(head, b"127.0.0.1")
    except Refused as refused:
        return refused


def judge_answers(heads, answers):
    for head in heads:
        says, (status, body) = expected[head.number], answers.get(head.number, (None, b""))
        seen[f"{head.version} {status}"] += 1
        seen["sensitive"] += head.is_sensitive
        if head.is_sensitive and not isinstance(says, Refused):
            tell(f"the model lets through what was put where it must not be: {head.lines()}")
        if isinstance(says, Refused):
            # libnghttp2 resets what it refuses itself.
            right = status == says.args[0] or head.version == "h2" and says.args[0] == 400 and status == "reset"
        else:
            right = (status, body) == (200, head.number)
        if not right:
            tell(f"{head.version}: {says} but {status} {body[:300]}: {head.lines()[:1500]}")
    for number in answers.keys() - {head.number for head in heads}:
        tell(f"an answer to what is no request: {answers[number]}")


def judge_recorded(recorded):
    """Compares what was recorded with the model; returns how often each request was."""
    times = Counter()
    for connection in recorded:
        if isinstance(connection, Recorded):
            if connection.buffer:
                tell(f"half a request arrived: {connection.buffer[:300]}")
            for piece in connection.pieces:
                number = number_in(piece)
                times[number] += 1
                if number in expected and not is_as_expected(piece, expected[number]):
                    tell(f"arrived: {piece[:1500]}, expected: {expected[number]}")
        else:
            for stream, section in connection.requests.items():
                number = dict(section).get(b"x-number", b"none")
                times[number] += 1
                says = expected.get(number)
                if isinstance(says, Refused) or says and not is_section(section, connection.bodies[stream], says):
                    tell(f"arrived: {section}, expected: {says}")
    carried = {number for number, says in expected.items() if not isinstance(says, Refused)}
    for number in carried ^ times.keys():
        tell(f"{number} {'did not arrive' if number in carried else 'arrived'}")
    for number in [number for number, often in times.items() if often > 1]:
        tell(f"{number} arrived {times[number]} times")


def is_as_expected(piece, says):
    if isinstance(says, Refused):
        return False
    head, _, body = piece.partition(b"\r\n\r\n")
    first, rest = says.lines()
    found = re.match(re.escape(first) + rb"[0-9A-Za-z._-]+\r\n" + re.escape(rest) + rb"\Z", head + b"\r\n\r\n")
    return bool(found) and (chunks(body) if says.is_chunked else body) == (says.body or b"")


def chunks(body):
    content = b""
    while found := re.match(rb"([0-9a-f]+)\r\n", body):
        size, start = int(found[1], 16), found.end()
        content, body = content + body[start:start + size], body[start + size + 2:]
    return content


def is_section(section, body, says):
    mine = says.section()
    return len(section) == len(mine) and body == (says.body or b"") and all(
        name == other and (value == wanted or wanted is None) for (name, value), (other, wanted) in zip(section, mine))


# What the reports leave out, because a parser states it itself, or each version has it elsewhere.
UNREPORTED = {b"host", b"te", b"content-length", b"transfer-encoding", b"connection", b"x-request-id"}


def plain(says, request_id):
    """The reading that every parser must have of a request."""
    fields = [(name.lower(), request_id if value is None else value) for name, value in says.fields]
    return says.method, says.target, [field for field in fields if field[0] not in UNREPORTED], says.body or b""


def read_back(recorded):
    for connection in recorded:
        if isinstance(connection, Recorded) and connection.pieces:
            numbers = [number_in(piece) for piece in connection.pieces]
            read_by_h11(connection.pieces, numbers)
            for server in servers:
                judge_readings(server, numbers, server.requests(connection.pieces), "http/1.1")
        elif isinstance(connection, RecordedStreams) and connection.requests:
            seen["read by h2 of h2"] += len(connection.requests)
            for server in servers:
                readings = server.streams(bytes(connection.data))
                streams = list(connection.requests)
                numbers = [dict(connection.requests[stream])[b"x-number"] for stream in streams]
                judge_readings(server, numbers, [readings[stream] for stream in streams], "h2")


def read_by_h11(pieces, numbers):
    try:
        readings = readers.h11_requests(b"".join(pieces))
    except h11.RemoteProtocolError as error:
        return tell(f"h11 refuses one of {numbers}: {error}")
    seen["read by h11 of http/1.1"] += len(readings)
    if len(readings) != len(numbers):
        tell(f"h11 reads {len(readings)} requests of {len(numbers)}")
    for number, (method, target, fields, body) in zip(numbers, readings):
        judge_reading("h11", number, (method, target, readers.joined(fields), body), readers.joined)


def judge_readings(server, numbers, readings, version):
    for number, reading in zip(numbers, readings, strict=True):
        if isinstance(reading, tuple):
            seen[f"read by {server.name} of {version}"] += 1
            judge_reading(server.name, number, reading, server.fields)
        else:
            tell(f"{server.name} refuses with {reading}: {expected[number]}")


def judge_reading(name, number, reading, fields_of):
    says = expected.get(number)
    if says is None or isinstance(says, Refused):
        return tell(f"{name} reads {number}, which is none that was carried")
    method, target, sent, body = plain(says, reading[2].get(b"x-request-id"))
    mine = fields_of(sent)
    read = {name: value for name, value in reading[2].items() if name not in UNREPORTED}
    if name == "Envoy" and b"referer" in mine and b"referer" not in read:
        # Envoy takes a Referer away that is no absolute URI.
        seen["Envoy drops a referer"] += 1
        del mine[b"referer"]
    if (method, target) != reading[:2] or mine != read or reading[3] not in (None, body):
        differing = {name: (mine.get(name), read.get(name)) for name in mine.keys() | read.keys() if mine.get(name) != read.get(name)}
        tell(f"{name} reads {reading[:2]}, {reading[3]}, differing {differing}: {says}")


# All of it.

recorder = Recorder()
recorder.start()
ports = {name: free_port() for name in ("bearward", "nginx", "haproxy", "envoy")}
readers.write(directory, "keys.json", """{"keys": [{"kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "a",
 "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}""")
resources = "".join(f"""
  {place}:
    at: [/{place}]
    audiences: [{place}]
    issuers: [company]
    upstream: "{"http" if PLACES[place.encode()] == "http/1.1" else "h2c"}://127.0.0.1:{recorder.ports[PLACES[place.encode()]]}"
    path_parameters: {"keep" if place.encode() in KEEPS_PARAMETERS else "refuse"}
    {f"token_header: {{name: {TOKEN}}}" if place == "two" else f"forward: {{identity: {{subject: {IDENTITY[0]}}}, claims: {{department: {IDENTITY[1]}}}}}"}
    rules: {{ANY /**: {{public: true}}, ANY /closed/**: authenticated}}""" for place in map(bytes.decode, PLACES))
bearward_file = readers.write(directory, "bearward.yaml", f"""
listen: [{{address: "127.0.0.1:{ports["bearward"]}", protocols: [h2c, http/1.1]}}]
event_loops: 1
access_log: none
issuers: {{company: {{issuer: "https://issuer.example", jwks_file: ./keys.json, token_type: at+jwt}}}}
resources:{resources}
""")
children.start([bearward, "serve", "--config", bearward_file], stderr=subprocess.DEVNULL)
servers = [readers.nginx(nginx, directory, ports["nginx"]), readers.haproxy(haproxy, directory, ports["haproxy"]), readers.envoy(envoy, directory, ports["envoy"])]
for name, port in ports.items():
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.05)
    else:
        raise SystemExit(f"WRONG: {name} does not listen")

made = 0
while made < int(count):
    batch = []
    for _ in range(min(BATCH, int(count) - made)):
        made += 1
        batch.append(grammar.head(b"%d" % made, "h2" if made % 2 else "http/1.1"))
    expected = {head.number: verdict(head) for head in batch}
    answers = talk([head for head in batch if head.version != "h2"]) | talk_streams([head for head in batch if head.version == "h2"])
    judge_answers(batch, answers)
    recorded = recorder.take()
    judge_recorded(recorded)
    read_back(recorded)
    if len(wrong) > 20:
        break

print(f"{made} heads of seed {seed}: {dict(sorted(seen.items()))}, {len(wrong)} wrong")
sys.exit(1 if wrong else 0)

"""The clients of chaos: one process, one loop, many connections at once, each a generator that says what it waits for."""

import heapq
import itertools
import select
import signal
import socket
import ssl
import struct
import time

import plan as plans

READ, WRITE = select.EPOLLIN, select.EPOLLOUT
# For everything that has no time of its own in a plan: connecting, a handshake, a peer that takes nothing.
PATIENCE = 5.0
# How many times as long a load may take to reach its number of connections.
LONGEST_OVERTIME = 5
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Ended(Exception):
    """The gateway ended the connection, or nothing came of it in time."""


class TLS:
    """One context for each offer that a client makes, and the last session of each on each listener."""

    def __init__(self, directory):
        self.directory = directory
        self.contexts = {}
        self.sessions = {}

    def client(self, plan, incoming, outgoing):
        context = self.contexts.get(self.offer(plan)) or self.context(plan)
        session = self.sessions.get((plan.listener.name, self.offer(plan))) if plan.resumes else None
        return context.wrap_bio(incoming, outgoing, server_hostname="localhost", session=session)

    def context(self, plan):
        context = self.contexts[self.offer(plan)] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if plan.offered:
            context.set_alpn_protocols(list(plan.offered))
        if plan.is_old:
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        if plan.listener.name == "tls-client":
            context.load_cert_chain(self.directory / "edge.pem", self.directory / "edge.key")
        return context

    @staticmethod
    def offer(plan):
        return plan.offered, plan.is_old, plan.listener.name == "tls-client"

    def keep(self, plan, client):
        if not client.session_reused and (session := client.session) is not None and session.has_ticket:
            self.sessions[plan.listener.name, self.offer(plan)] = session


class Connection:
    """Carries out one plan. Its generator yields `(events, seconds)` and is sent the events that came, 0 for none in time."""

    def __init__(self, plan, port, tls):
        self.plan = plan
        self.tls = tls
        self.client = None
        # Whether the handshake has ended.
        self.is_secure = False
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port = port

    def run(self):
        try:
            self.socket.connect_ex(("127.0.0.1", self.port))
            if not (yield WRITE, PATIENCE):
                raise Ended
            if self.plan.offered is not None:
                yield from self.handshake()
            for what, argument in self.plan.steps:
                yield from getattr(self, what)(argument)
            if self.plan.end == "half":
                self.socket.shutdown(socket.SHUT_WR)
                yield from self.wait(0.3)
        except (Ended, OSError):
            # An SSLError is one too.
            pass
        finally:
            if self.plan.end == "reset":
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            if self.is_secure:
                self.tls.keep(self.plan, self.client)

    def handshake(self):
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.client = self.tls.client(self.plan, self.incoming, self.outgoing)
        for flight in itertools.count(1):
            try:
                self.client.do_handshake()
                self.is_secure = True
                return (yield from self.write(self.outgoing.read()))
            except ssl.SSLWantReadError:
                yield from self.write(self.outgoing.read())
            if flight >= self.plan.flights or not (yield READ, PATIENCE):
                raise Ended
            self.incoming.write(self.receive())

    # MARK: Steps

    def send(self, data):
        if self.client is not None and data:
            self.client.write(data)
            data = self.outgoing.read()
        yield from self.write(data)

    def garble(self, data):
        """Bytes below TLS that are none of it."""
        yield from self.write(data)

    def wait(self, seconds):
        """Reads what comes until nothing has come for so long."""
        while (yield READ, seconds):
            data = self.receive()
            if self.client is not None:
                self.incoming.write(data)
                try:
                    self.client.read(1 << 20)
                except ssl.SSLWantReadError:
                    pass

    def stall(self, seconds):
        """Neither reads nor writes."""
        yield 0, seconds

    # MARK: Bytes

    def write(self, data):
        data = memoryview(data)
        while data:
            try:
                data = data[self.socket.send(data) :]
            except BlockingIOError:
                if not (yield WRITE, PATIENCE):
                    raise Ended from None

    def receive(self):
        try:
            data = self.socket.recv(1 << 16)
        except BlockingIOError:
            return b""
        if not data:
            raise Ended
        return data


class Loop:
    """Keeps so many connections going at once, and begins another where one ends."""

    def __init__(self, width, begin):
        self.poll = select.epoll()
        self.width = width
        self.begin = begin
        self.running = {}
        self.deadlines = []
        self.order = itertools.count()

    def run(self, is_over):
        while True:
            if not is_over():
                while len(self.running) < self.width:
                    self.start(self.begin())
            elif not self.running:
                return self.poll.close()
            for number, events in self.poll.poll(self.until_next_deadline()):
                self.resume(number, events)
            self.expire()

    def start(self, connection):
        number = connection.socket.fileno()
        generator = connection.run()
        self.poll.register(number, 0)
        self.running[number] = [connection, generator, 0]
        self.advance(number, None)

    def until_next_deadline(self):
        return max(0.0, min(1.0, self.deadlines[0][0] - time.monotonic())) if self.deadlines else 1.0

    def resume(self, number, events):
        if number in self.running:
            self.advance(number, events)

    def expire(self):
        now = time.monotonic()
        while self.deadlines and self.deadlines[0][0] <= now:
            _, turn, number = heapq.heappop(self.deadlines)
            if number in self.running and self.running[number][2] == turn:
                self.advance(number, 0)

    def advance(self, number, events):
        """Lets a connection go on until it waits for something again."""
        entry = self.running[number]
        try:
            wanted, seconds = entry[1].send(events)
        except StopIteration:
            del self.running[number]
            # Closing takes it out of the poll as well.
            return entry[0].socket.close()
        self.poll.modify(number, wanted | select.EPOLLONESHOT)
        entry[2] = next(self.order)
        heapq.heappush(self.deadlines, (time.monotonic() + seconds, entry[2], number))


def load(stand, options, worker, started, tally, seconds, least, stop):
    """A process of the load: goes on from the number in `started[worker]`, counts by listener and kind in `tally`.

    It ends after so many seconds, or when all processes together have begun so many connections if that is later.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tls, begun = TLS(stand.directory), time.monotonic()
    places = {listener.name: index for index, listener in enumerate(plans.LISTENERS)}

    def begin():
        plan = plans.make(options.seed, worker, started[worker], stand.tokens, options.listeners)
        started[worker] += 1
        tally[worker * 2 * len(places) + 2 * places[plan.listener.name] + (plan.kind == "h2")] += 1
        return Connection(plan, stand.ports[plan.listener.name], tls)

    def is_over():
        past = time.monotonic() - begun
        return stop.is_set() or past >= seconds and (sum(started) >= least or past >= LONGEST_OVERTIME * seconds)

    Loop(options.width, begin).run(is_over)

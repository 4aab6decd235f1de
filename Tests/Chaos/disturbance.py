"""What operators and networks do while the load runs: signals to the gateways at any time, and name servers that fall silent."""

import multiprocessing
import os
import random
import signal
import socket
import struct
import time

# An address of this machine that nothing else listens at; `resolv.conf` has no ports.
NAME_SERVER = "127.0.0.99"
DOMAIN = "chaos.example"
RECORD_LIFETIME = 1

SIGNALS = (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
# Between two signals to one gateway, in seconds: some follow at once on another.
PAUSES = (0.0, 0.01, 0.04, 0.2, 1.0, 3.0, 8.0)
# How long name servers answer, and how long they do not, in seconds.
ANSWERING, SILENT = (0.5, 15), (0.5, 25)


def answer(question):
    """The answer to a question about one of our names; none to what is no question."""
    if len(question) < 17:
        return None
    end = question.find(b"\0", 12)
    kind = question[end + 1:end + 3]
    name = question[12:end + 5]
    # A; there are no other records.
    record = b"\xc0\x0c\0\1\0\1" + struct.pack("!IH", RECORD_LIFETIME, 4) + bytes((127, 0, 0, 1)) if kind == b"\0\1" else b""
    return question[:2] + b"\x85\x80\0\1" + (b"\0\1" if record else b"\0\0") + b"\0\0\0\0" + name + record


def serve_names(listener, silent):
    ends_quietly()
    while True:
        question, client = listener.recvfrom(2048)
        if silent.value or not (reply := answer(question)):
            continue
        listener.sendto(reply, client)


def ends_quietly():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


class Disturbance:
    """The processes that disturb; to be stopped before the gateways are."""

    def __init__(self, seed):
        self.context = multiprocessing.get_context("fork")
        self.random = random.Random(f"{seed}/disturbance")
        self.silent = multiprocessing.Value("b", 0, lock=False)
        self.counts = multiprocessing.Array("Q", len(SIGNALS) + 1, lock=False)
        listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        listener.bind((NAME_SERVER, 53))
        self.processes = [self.context.Process(target=serve_names, args=(listener, self.silent), daemon=True)]
        self.processes[0].start()
        listener.close()

    def begin(self, gateways):
        """Signals and silence from now on."""
        for gateway in gateways:
            chance = random.Random(self.random.random())
            self.processes.append(self.context.Process(target=self.send, args=(gateway.process.pid, chance), daemon=True))
        self.processes.append(self.context.Process(target=self.silence, args=(random.Random(self.random.random()),), daemon=True))
        for process in self.processes[1:]:
            process.start()

    def send(self, pid, chance):
        ends_quietly()
        while True:
            time.sleep(chance.choice(PAUSES))
            kind = chance.randrange(len(SIGNALS))
            try:
                os.kill(pid, SIGNALS[kind])
            except ProcessLookupError:
                return
            self.counts[kind] += 1

    def silence(self, chance):
        ends_quietly()
        while True:
            time.sleep(chance.uniform(*ANSWERING))
            self.silent.value = 1
            self.counts[len(SIGNALS)] += 1
            time.sleep(chance.uniform(*SILENT))
            self.silent.value = 0

    def calm(self):
        """No more signals, and names are answered again."""
        for process in self.processes[1:]:
            process.terminate()
            process.join()
        del self.processes[1:]
        self.silent.value = 0

    def end(self):
        self.calm()
        for process in self.processes:
            process.terminate()
            process.join()

    def figures(self):
        sent = ", ".join(f"{each.name} {count}" for each, count in zip(SIGNALS, self.counts))
        return f"signals: {sent}; name servers fell silent {self.counts[len(SIGNALS)]} times"

"""A target that can be killed: it writes down each request as soon as it has its head, thinks, and then answers with what it was asked.

Started as a program: `target.py PORT RECORD`. What stands in the record was written by the kernel, so that no kill loses it.
"""

import asyncio
import os
import sys

# In which it can be killed with a request in hand.
THOUGHT = 0.004


class Conversation(asyncio.Protocol):
    def __init__(self, record):
        self.record, self.received, self.transport, self.is_recorded = record, b"", None, False

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.received += data
        while self.take():
            pass

    def take(self):
        """Takes one request; false if there is none, or only a part of one."""
        head, end, rest = self.received.partition(b"\r\n\r\n")
        if not end:
            return False
        method, target = head.split(b" ", 2)[:2]
        length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        if not self.is_recorded:
            os.write(self.record, method + b" " + target + b"\n")
            self.is_recorded = True
        if len(rest) < length:
            return False
        self.received, self.is_recorded = rest[length:], False
        content = target + b" " + rest[:length]
        asyncio.get_running_loop().call_later(THOUGHT, self.answer, content)
        return True

    def answer(self, content):
        if not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(content), content))


async def serve(port, record):
    file = os.open(record, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    server = await asyncio.get_running_loop().create_server(lambda: Conversation(file), "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2]))

"""What a page in a browser does at the gateway: fetch, EventSource and WebSocket, from the page's own origin.

`browser.py PORT_FILE` serves the page and what it asks for; the page posts what it saw, which is printed.
`browser.py PORT CERTIFICATE BROWSER TOKENS` opens the page. TOKENS: a JSON object, for the page.
"""
import asyncio
import base64
import hashlib
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import urllib.parse

PAGE = """<!doctype html><title>bearward</title><script>
const tokens = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const bearer = token => ({headers: {Authorization: 'Bearer ' + token}});
const seen = {};

async function ask(name, path, options) {
  const response = await fetch(path, options);
  seen[name] = [response.status, response.headers.get('www-authenticate')?.includes('Bearer') ?? false, await response.text()];
}

async function readStream(name, path, options) {
  let text = '';
  const reader = (await fetch(path, options)).body.getReader();
  try {
    for (let part; !(part = await reader.read()).done;) text += new TextDecoder().decode(part.value);
    seen[name] = ['ended', text.startsWith('data: event 0')];
  } catch (error) { seen[name] = ['broken', text.startsWith('data: event 0')]; }
}

const events = () => new Promise(resolve => {
  const received = [];
  const source = new EventSource('/public/events');
  source.onmessage = event => { received.push(event.data); if (received.length == 3) { source.close(); resolve(received); } };
});

const socketURL = path => location.origin.replace('https', 'wss') + path;
const chosen = {};

const talk = (path, protocols = [], socket = new WebSocket(socketURL(path), protocols)) => new Promise(resolve => {
  const received = [];
  socket.onopen = () => { chosen[path] = socket.protocol; socket.send('hello'); };
  socket.onmessage = event => {
    received.push(event.data.length);
    if (received.length == 1) socket.send('x'.repeat(200000)); else socket.close(4001, 'enough');
  };
  socket.onclose = event => resolve([received, event.code, event.wasClean]);
});

// A frame without an origin, as any site's page can have one.
const foreign = path => new Promise(resolve => {
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.srcdoc = `<script>
    const socket = new WebSocket(${JSON.stringify(socketURL(path))}, ['bearer', ${JSON.stringify(tokens.good)}]);
    socket.onopen = () => parent.postMessage('open', '*');
    socket.onerror = () => parent.postMessage('refused', '*');
  <\\/script>`;
  addEventListener('message', event => resolve(event.data), {once: true});
  document.body.append(frame);
});

onload = async () => {
  try {
    await ask('none', '/api/whoami', {});
    await ask('good', '/api/whoami', bearer(tokens.good));
    await ask('scope', '/api/whoami', {method: 'POST', body: 'x', ...bearer(tokens.good)});
    await ask('posted', '/api/whoami', {method: 'POST', body: 'y'.repeat(300000), ...bearer(tokens.write)});
    seen.events = await events();
    seen.socket = await talk('/public/socket');
    seen.refusedSocket = await talk('/api/socket');
    seen.forgedSocket = await talk('/api/socket', ['bearer', 'a.b.c']);
    const token = tokens.good;
    seen.tokenSocket = await talk('/api/socket', [], DOCUMENTED);
    seen.chatSocket = await talk('/api/chat/socket', ['bearer', tokens.good, 'chat']);
    seen.foreignSocket = await foreign('/api/socket');
    seen.chosen = chosen;
    await readStream('stream', '/api/events', bearer(tokens.short));
    const entries = performance.getEntriesByType('resource').filter(entry => entry.name.includes('/api/whoami'));
    seen.protocols = [...new Set(entries.map(entry => entry.nextHopProtocol))];
  } catch (error) { seen.error = String(error); }
  await fetch('/public/report', {method: 'POST', body: JSON.stringify(seen)});
};
</script>"""
# The line of the page for front ends, at this gateway.
DOCUMENTED = re.search(r"^```js\n(new WebSocket\(.*\))\n```$", (pathlib.Path(__file__).parents[3] / "docs/edge.md").read_text(), re.MULTILINE)[1]
PAGE = PAGE.replace("DOCUMENTED", re.sub(r'"wss:[^"]+"', "socketURL('/api/socket')", DOCUMENTED))


async def answer(writer, body, kind="text/plain"):
    body = body.encode()
    writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


async def stream_events(writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    for number in range(10_000):
        event = f"data: event {number}\n\n".encode()
        writer.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
        await writer.drain()
        await asyncio.sleep(0.05)


async def echo(head, subprotocols, reader, writer):
    from websockets.frames import Opcode
    from websockets.http11 import Request
    from websockets.server import ServerProtocol

    protocol = ServerProtocol(subprotocols=subprotocols, max_size=None)
    protocol.receive_data(head)
    message = b""
    while True:
        for event in protocol.events_received():
            if isinstance(event, Request):
                protocol.send_response(protocol.accept(event))
            elif event.opcode in (Opcode.TEXT, Opcode.CONT):
                message += event.data
                if event.fin:
                    protocol.send_text(message)
                    message = b""
        for part in protocol.data_to_send():
            if part:
                writer.write(part)
        if protocol.close_expected():
            return
        received = await reader.read(65536)
        if not received:
            return
        protocol.receive_data(received)


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            lines = head.decode().split("\r\n")
            method, path, _ = lines[0].split(" ")
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
            assert "authorization" not in fields
            assert fields.get("sec-websocket-protocol", "chat") == "chat"
            body = await reader.readexactly(int(fields.get("content-length", 0)))
            if path == "/public/page":
                await answer(writer, PAGE, "text/html")
            elif path.endswith("/socket"):
                print("socket asked for by", fields["via"], flush=True)
                return await echo(head, ["chat"] if path == "/api/chat/socket" else None, reader, writer)
            elif path.endswith("/events"):
                return await stream_events(writer)
            elif path == "/public/report":
                print("report", body.decode(), flush=True)
                await answer(writer, "")
            else:
                await answer(writer, f"{method} {fields.get('x-auth-subject', 'nobody')} {len(body)}")
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def server(port_file):
    running = await asyncio.start_server(serve, "127.0.0.1", 0)
    pathlib.Path(port_file).write_text(str(running.sockets[0].getsockname()[1]))
    await running.serve_forever()


def open_page(url, certificate, browser):
    # One key is believed besides the system's authorities, for this one run.
    pem = pathlib.Path(certificate).read_text().partition("-----END CERTIFICATE-----")
    public = subprocess.run(["openssl", "x509", "-noout", "-pubkey"], input=pem[0] + pem[1], text=True, check=True, capture_output=True)
    der = ssl.PEM_cert_to_DER_cert(public.stdout.replace("PUBLIC KEY", "CERTIFICATE"))
    pin = base64.b64encode(hashlib.sha256(der).digest()).decode()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # It stays open until this script is told to end.
        running = subprocess.Popen(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0",
             f"--user-data-dir={profile}", f"--ignore-certificate-errors-spki-list={pin}",
             url],
            start_new_session=True)
        try:
            running.wait()
        finally:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()


if __name__ == "__main__":
    if len(sys.argv) == 2:
        asyncio.run(server(sys.argv[1]))
    else:
        port, certificate, browser, tokens = sys.argv[1:]
        open_page(f"https://localhost:{port}/public/page#{urllib.parse.quote(tokens)}", certificate, browser)

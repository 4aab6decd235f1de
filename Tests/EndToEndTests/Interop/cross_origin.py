"""What a page of another origin can do and read at the gateway, in a browser.

`cross_origin.py PORT_FILE` serves the pages, and is the upstream; what the page saw is printed.
`cross_origin.py CERTIFICATE BROWSER PORT SETTINGS` opens the page. SETTINGS: a JSON object, for the page.
"""
import asyncio
import pathlib
import sys
import urllib.parse

sys.dont_write_bytecode = True

import browser  # noqa: E402

# The frame's own document is of another origin: of the same server by its address, or of none in a sandbox.
FRAME = """<!doctype html><script>
const [api, token] = JSON.parse(decodeURIComponent(location.hash.slice(1)));
onload = async () => {
  const seen = [self.origin];
  for (const options of [{}, {headers: {Authorization: 'Bearer ' + token}}]) {
    try { seen.push((await fetch(api + '/orders/7', options)).status); } catch (error) { seen.push(error.name); }
  }
  parent.postMessage(seen, '*');
};
</script>"""

PAGE = """<!doctype html><title>bearward</title><script>
const {api, other, tokens} = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const seen = {};

const bearer = (token, fields) => ({headers: {Authorization: 'Bearer ' + token, ...fields}});

async function ask(name, url, options) {
  try {
    const response = await fetch(url, options);
    const text = await response.text();
    const field = name => response.headers.get(name);
    seen[name] = {
      status: response.status, challenge: field('www-authenticate'), retryAfter: field('retry-after'), requestID: field('x-request-id'),
      total: field('x-total-count'), secret: field('x-secret'), text,
    };
  } catch (error) { seen[name] = {error: error.name}; }
}

const framed = (origin, sandbox) => new Promise(resolve => {
  const frame = document.createElement('iframe');
  if (sandbox) frame.sandbox = 'allow-scripts';
  frame.src = origin + '/frame#' + encodeURIComponent(JSON.stringify([api, tokens.good]));
  addEventListener('message', function listen(event) {
    if (event.source !== frame.contentWindow) return;
    removeEventListener('message', listen);
    resolve(event.data);
  });
  document.body.append(frame);
});

onload = async () => {
  try {
    await ask('none', api + '/orders/7', {});
    await ask('good', api + '/orders/7', bearer(tokens.good));
    await ask('expired', api + '/orders/7', bearer(tokens.expired));
    await ask('scope', api + '/orders/7', {method: 'DELETE', ...bearer(tokens.good)});
    await ask('field', api + '/orders/7', bearer(tokens.good, {'X-Trace': '1'}));
    await ask('foreignField', api + '/orders/7', bearer(tokens.good, {'X-Other': '1'}));
    await ask('noRule', api + '/nowhere', {});
    await ask('noRuleWithToken', api + '/nowhere', bearer(tokens.good));
    await ask('methodWithoutRule', api + '/orders/7', {method: 'PATCH', ...bearer(tokens.good)});
    await ask('missing', api + '/orders/missing', bearer(tokens.good));
    await ask('large', api + '/orders', {method: 'POST', body: 'x'.repeat(2000), ...bearer(tokens.write)});
    await ask('posted', api + '/orders', {
      method: 'POST', body: '{}', ...bearer(tokens.write, {'Content-Type': 'application/json'})});
    await ask('dead', api + '/dead', bearer(tokens.good));
    await ask('slow', api + '/slow', bearer(tokens.good));
    await ask('keyless', other + '/orders/7', bearer(tokens.keyless));
    seen.foreignPage = await framed('http://127.0.0.1:' + location.port, false);
    seen.sandbox = await framed(location.origin, true);
    for (let count = 0; count < 100 && seen.limited?.status !== 429; count += 1)
      await ask('limited', api + '/orders/7', bearer(tokens.forged + count));
  } catch (error) { seen.error = String(error); }
  await fetch('/report', {method: 'POST', body: JSON.stringify(seen)});
};
</script><body></body>"""


def answer(writer, status, body, kind="text/plain", more=""):
    body = body.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    writer.write(head.encode() + body)


# An API that answers other origins by itself, badly.
OWN = "Access-Control-Allow-Origin: https://elsewhere.example\r\nX-Total-Count: 7\r\nX-Secret: s\r\n"


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            lines = head.decode().split("\r\n")
            method, path, _ = lines[0].split(" ")
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
            assert "authorization" not in fields
            body = await reader.readexactly(int(fields.get("content-length", 0)))
            if path == "/page":
                answer(writer, "200 OK", PAGE, "text/html")
            elif path == "/frame":
                answer(writer, "200 OK", FRAME, "text/html")
            elif path == "/report":
                print("report", body.decode(), flush=True)
                answer(writer, "200 OK", "")
            elif path == "/slow":
                await asyncio.sleep(60)
            else:
                print("upstream", method, path, flush=True)
                answer(writer, "404 Not Found" if "missing" in path else "200 OK", f"{method} {path} {len(body)}", more=OWN)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def server(port_file):
    running = await asyncio.start_server(serve, "127.0.0.1", 0)
    pathlib.Path(port_file).write_text(str(running.sockets[0].getsockname()[1]))
    await running.serve_forever()


if __name__ == "__main__":
    if len(sys.argv) == 2:
        asyncio.run(server(sys.argv[1]))
    else:
        certificate, program, page_port, settings = sys.argv[1:]
        browser.open_page(f"http://localhost:{page_port}/page#{urllib.parse.quote(settings)}", certificate, program)

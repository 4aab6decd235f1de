"""A collector that takes everything and keeps nothing."""
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.server.bytes += len(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Collector(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.bytes = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def settings(self, sample):
        """What the file has, so that this share of requests is recorded."""
        endpoint = f"http://127.0.0.1:{self.server_address[1]}"
        return f'telemetry: {{otlp: {{endpoint: "{endpoint}"}}, traces: {{sample: {sample}, most: 999999/s}}}}\n'

"""A collector that decodes OTLP with OpenTelemetry's own messages, and prints one JSON object a line for each request.

    collector.py [gone | slow | garbage | full | lies]

The first line is its port. Without a word it accepts everything.
"""
import json
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest, ExportMetricsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse

MODE = sys.argv[1] if len(sys.argv) > 1 else "good"
REQUESTS = {"/v1/traces": ExportTraceServiceRequest, "/v1/metrics": ExportMetricsServiceRequest}
printing = threading.Lock()


def attributes(holder):
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in holder.attributes}


def spans(message):
    return [
        {
            "trace": span.trace_id.hex(), "span": span.span_id.hex(), "parent": span.parent_span_id.hex(), "name": span.name,
            "kind": span.kind, "error": span.status.code == 2, "start": span.start_time_unix_nano, "end": span.end_time_unix_nano,
            "attributes": attributes(span), "links": [link.trace_id.hex() for link in span.links],
            "events": [{"name": event.name, "attributes": attributes(event)} for event in span.events],
        }
        for resource in message.resource_spans for scope in resource.scope_spans for span in scope.spans
    ]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        message = REQUESTS[self.path]()
        message.ParseFromString(body)
        unknown = message != type(message).FromString(message.SerializeToString())
        resource = (getattr(message, "resource_spans", None) or message.resource_metrics)[0].resource
        line = {"path": self.path, "type": self.headers["Content-Type"], "secret": self.headers["X-Secret"], "resource": attributes(resource),
                "unknown": unknown}
        if self.path == "/v1/traces":
            line["spans"] = spans(message)
            line["scope"] = message.resource_spans[0].scope_spans[0].scope.name
        else:
            line["metrics"] = [
                {"name": metric.name, "kind": metric.WhichOneof("data"), "points": len(getattr(metric, metric.WhichOneof("data")).data_points)}
                for scope in message.resource_metrics[0].scope_metrics for metric in scope.metrics
            ]
        with printing:
            print(json.dumps(line), flush=True)
        self.answer(ExportTraceServiceResponse() if self.path == "/v1/traces" else ExportMetricsServiceResponse())

    def answer(self, response):
        if MODE == "slow":
            time.sleep(60)
        if MODE == "full":
            return self.send(503, b"", {"Retry-After": "1"})
        if MODE == "garbage":
            return self.send(200, b"<html>\xff\xfe" * 100, {"Content-Type": "text/html"})
        if MODE == "lies":
            response.partial_success.error_message = "no"
            if hasattr(response.partial_success, "rejected_spans"):
                response.partial_success.rejected_spans = 2**62
        self.send(200, response.SerializeToString(), {"Content-Type": "application/x-protobuf"})

    def send(self, status, body, fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if MODE == "gone":
    # A port at which nobody listens.
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    print(held.getsockname()[1], flush=True)
    threading.Event().wait()
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()

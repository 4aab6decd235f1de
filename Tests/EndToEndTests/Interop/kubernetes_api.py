"""An API server of Kubernetes for `kubectl apply`: keeps what is created, and judges nothing. It has the kinds of the overlays, and no others.

    kubernetes_api.py KUBECONFIG

Writes the file by which kubectl finds it, and then a line. The schemas are the matter of kubernetes.py.
"""

import http.server
import json
import pathlib
import sys

KINDS = {
    "v1": {"ConfigMap": "configmaps", "Namespace": "namespaces", "Service": "services", "ServiceAccount": "serviceaccounts"},
    "apps/v1": {"Deployment": "deployments"},
    "autoscaling/v2": {"HorizontalPodAutoscaler": "horizontalpodautoscalers"},
    "monitoring.coreos.com/v1": {"PrometheusRule": "prometheusrules", "ServiceMonitor": "servicemonitors"},
    "networking.k8s.io/v1": {"NetworkPolicy": "networkpolicies"},
    "policy/v1": {"PodDisruptionBudget": "poddisruptionbudgets"},
}
VERBS = ["create", "get"]
# Namespaces and objects, by path. As in a new cluster, only one namespace is there.
KEPT = {"/api/v1/namespaces/default": {"kind": "Namespace", "metadata": {"name": "default"}}}


def root(version):
    """The path of what a version serves."""
    return f"/apis/{version}" if "/" in version else f"/api/{version}"


def resources(version):
    """The kinds of a version, for discovery."""
    found = [
        {"name": name, "singularName": "", "namespaced": name != "namespaces", "kind": kind, "verbs": VERBS} for kind, name in KINDS[version].items()]
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": found}


def groups():
    """Groups and their versions, for discovery."""
    found = []
    for version in (version for version in KINDS if "/" in version):
        served = {"groupVersion": version, "version": version.partition("/")[2]}
        found.append({"name": version.partition("/")[0], "versions": [served], "preferredVersion": served})
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": found}


def schema(version):
    """Enough of a schema to say that this server validates fields itself."""
    group, _, number = version.rpartition("/")
    field = {"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}
    paths = {}
    for kind, name in KINDS[version].items():
        patch = {"parameters": [field], "x-kubernetes-group-version-kind": {"group": group, "version": number, "kind": kind}}
        paths[f"{root(version)}/namespaces/{{namespace}}/{name}/{{name}}"] = {"patch": patch}
    return {"openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "v1"}, "paths": paths}


DOCUMENTS = {"/api": {"kind": "APIVersions", "versions": ["v1"]}, "/apis": groups()}
DOCUMENTS |= {root(version): resources(version) for version in KINDS}
DOCUMENTS |= {f"/openapi/v3{root(version)}": schema(version) for version in KINDS}
DOCUMENTS["/openapi/v3"] = {"paths": {root(version)[1:]: {"serverRelativeURL": f"/openapi/v3{root(version)}"} for version in KINDS}}


def is_collection(path):
    """True if an object can be created there: its namespace exists, and its kind is known."""
    base, _, rest = path.partition("/namespaces")
    version = next((version for version in KINDS if root(version) == base), None)
    if version is None or not rest:
        return path == "/api/v1/namespaces"
    space, _, name = rest[1:].partition("/")
    return f"/api/v1/namespaces/{space}" in KEPT and name in KINDS[version].values()


def member(message, number):
    """A member of a protobuf message whose members before it are all strings or messages, shorter than 128 bytes."""
    while message[0] >> 3 != number:
        message = message[2 + message[1]:]
    return message[2:2 + message[1]]


def read(body):
    """An object. kubectl makes namespaces in protobuf, in an envelope."""
    if body.startswith(b"k8s\0"):
        name = member(member(member(body[4:], 2), 1), 1).decode()
        return {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": name}}
    return json.loads(body)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, reason):
        self.answer(status, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": f"{self.path}: not here", "code": status})

    def do_GET(self):
        path = self.path.partition("?")[0]
        if document := KEPT.get(path) or DOCUMENTS.get(path):
            self.answer(200, document)
        else:
            self.refuse(404, "NotFound")

    def do_POST(self):
        path = self.path.partition("?")[0]
        one = read(self.rfile.read(int(self.headers["Content-Length"])))
        if not is_collection(path):
            return self.refuse(404, "NotFound")
        KEPT[f"{path}/{one['metadata']['name']}"] = one
        self.answer(201, one)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
pathlib.Path(sys.argv[1]).write_text(json.dumps({
    "apiVersion": "v1", "kind": "Config", "current-context": "lab",
    "clusters": [{"name": "lab", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
    "contexts": [{"name": "lab", "context": {"cluster": "lab"}}],
}))
print("ready", flush=True)
server.serve_forever()

"""Renders an overlay of Kustomize, and says what is wrong with what comes out.

    kubernetes.py KUBECTL OVERLAY DIRECTORY VERSION...
    kubernetes.py validate FILE VERSION...

Every object is validated by the schemas of each version of Kubernetes. What has no schema there is a custom resource; its kind is printed. Beyond
the schemas: pods run by the restricted standard, each probe, mount and port of a Service leads somewhere, and a network policy guards every port.
The files of the ConfigMap `bearward` are written to DIRECTORY. With `validate`, the objects of a file are held against the schemas alone.
Prints a JSON object: `problems`, `kinds`, `unvalidated`.
"""

import json
import pathlib
import subprocess
import sys

import yaml
from kubernetes_validate import utils

if sys.argv[1] == "validate":
    _, file, *versions = sys.argv[1:]
    rendered = pathlib.Path(file).read_text()
else:
    kubectl, overlay, directory, *versions = sys.argv[1:]
    rendered = subprocess.run([kubectl, "kustomize", overlay], check=True, capture_output=True, text=True).stdout
objects = [one for one in yaml.safe_load_all(rendered) if one]
problems, unvalidated = [], set()


def named(one):
    return f"{one['kind']} {one['metadata']['name']}"


def complain(one, text):
    problems.append(f"{named(one)}: {text}")


def validate(one):
    for version in versions:
        try:
            utils.validate(one, version, strict=True)
        except utils.SchemaNotFoundError:
            unvalidated.add(one["kind"])
        except utils.ValidationError as error:
            complain(one, f"by {version}: {'.'.join(map(str, error.path))}: {error.message}")


def restricted(one, pod):
    """https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted, and a root that cannot be written."""
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(key):
            complain(one, f"{key} is set")
    allowed = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
    for volume in pod.get("volumes", []):
        if not allowed & volume.keys():
            complain(one, f"the volume {volume['name']} is of a kind that is not allowed")
    of_pod = pod.get("securityContext", {})
    for container in pod.get("initContainers", []) + pod["containers"]:
        own = container.get("securityContext", {})
        name = container["name"]
        merged = {**of_pod, **own}
        if own.get("allowPrivilegeEscalation") is not False:
            complain(one, f"{name} may gain privileges")
        if own.get("privileged"):
            complain(one, f"{name} is privileged")
        if own.get("capabilities", {}).get("drop") != ["ALL"] or own["capabilities"].get("add"):
            complain(one, f"{name} keeps capabilities")
        if merged.get("runAsNonRoot") is not True or merged.get("runAsUser") in (None, 0):
            complain(one, f"{name} may run as root")
        if merged.get("seccompProfile", {}).get("type") not in ("RuntimeDefault", "Localhost"):
            complain(one, f"{name} has no seccomp profile")
        if own.get("readOnlyRootFilesystem") is not True:
            complain(one, f"{name} can write to its root")


def of_gateway(one, pod):
    """The three probes apart, a drain that has its time, a file that can change, a state that can be written."""
    found = [each for each in pod.get("initContainers", []) + pod["containers"] if each["name"] == "bearward"]
    if len(found) != 1:
        return complain(one, f"{len(found)} containers are bearward")
    gateway = found[0]
    ports = {port["name"] for port in gateway["ports"]}
    for probe, path in (("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
        asked = gateway.get(probe, {}).get("httpGet", {})
        if asked.get("path") != path or asked.get("port") not in ports:
            complain(one, f"{probe} asks {asked}")
    sleep = gateway.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
    drain = int(str(file["timeouts"]["drain"]).removesuffix("s"))
    if sleep < 5 or pod.get("terminationGracePeriodSeconds", 30) < sleep + drain:
        complain(one, f"{pod.get('terminationGracePeriodSeconds')} s are not enough for a sleep of {sleep} and a drain of {drain}")
    mounts = {mount["mountPath"]: mount for mount in gateway["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    configuration = mounts.get("/etc/bearward", {})
    if "subPath" in configuration or volumes[configuration["name"]]["configMap"]["name"] != "bearward":
        complain(one, "the file cannot change while it runs")
    state = pathlib.PurePosixPath(file["state_directory"])
    writable = [path for path, mount in mounts.items() if "emptyDir" in volumes[mount["name"]]]
    if not any(pathlib.PurePosixPath(path) == state.parent for path in writable):
        complain(one, f"{state} cannot be made")
    return ports


def judge_overlay():
    for one in deployments:
        pod = one["spec"]["template"]["spec"]
        restricted(one, pod)
        ports = of_gateway(one, pod)
        labels = one["spec"]["template"]["metadata"]["labels"]
        for service in (other for other in objects if other["kind"] == "Service"):
            if not service["spec"]["selector"].items() <= labels.items():
                complain(service, "no pod belongs to it")
            for port in service["spec"]["ports"]:
                if port["targetPort"] not in ports:
                    complain(service, f"no container listens on {port['targetPort']}")
        policies = [other["spec"] for other in objects if other["kind"] == "NetworkPolicy"]
        for policy in policies:
            rules = {port["port"]: rule.get("from") for rule in policy["ingress"] for port in rule["ports"]}
            for port in sorted(ports - {"http", "https"}):
                if not rules.get(port):
                    problems.append(f"NetworkPolicy: anybody may connect to {port}, or nobody")


for one in objects:
    validate(one)
deployments = [one for one in objects if one["kind"] == "Deployment"]
if sys.argv[1] != "validate":
    configurations = [one for one in objects if one["kind"] == "ConfigMap" and one["metadata"]["name"] == "bearward"]
    for name, text in configurations[0]["data"].items():
        pathlib.Path(directory, name).write_text(text)
    file = yaml.safe_load(configurations[0]["data"]["bearward.yaml"])
    judge_overlay()
json.dump(
    {"problems": problems, "kinds": sorted({one["kind"] for one in objects}), "unvalidated": sorted(unvalidated)}, sys.stdout)

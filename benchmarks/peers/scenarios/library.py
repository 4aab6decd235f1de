"""One verification without sockets, beside what a Swift developer would otherwise write with jwt-kit."""

import json
import os
import subprocess
from pathlib import Path

from contenders.world import GATEWAY_CORES, World
from measuring.results import Row, Table
from measuring.rounds import interleave
from measuring.tokens import ALGORITHMS
from measuring.tools import TOP, told

PACKAGES = {"Bearward": (TOP / "benchmarks", "verification"), "jwt-kit": (Path(__file__).parents[1] / "jwt-kit-verification", "jwt-kit-verification")}


def run(options):
    with World(options) as world:
        tokens = {algorithm: world.issuer.sign(algorithm) for algorithm in ALGORITHMS}
        given = json.dumps({"issuer": world.issuer.identifier, "tokens": tokens, "key_set": world.issuer.key_set})
        rows = [Row(name, algorithm) for algorithm in ALGORITHMS for name in PACKAGES]
        programs = built(rows)
        lines = {}

        def measure(row, _):
            # One run of a program measures every algorithm; its figures are handed out to the rows, then it runs again.
            if not lines.get(row.name, {}).get(row.group):
                lines[row.name] = figures(programs[row.name], given)
            return {"cpu": lines[row.name].pop(row.group)}

        interleave(options, rows, measure)
    return [Table("library", "One verification, no sockets", NOTE, rows, ["cpu"], group_title="Algorithm", baseline="Bearward")]


def built(rows):
    """The programs by name; the rows of one that does not build say so."""
    programs = {}
    for name, (package, product) in PACKAGES.items():
        told(f"building {product}")
        command = ["swift", "build", "--package-path", str(package), "-c", "release", "--product", product]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if ended.returncode == 0:
            where = subprocess.run([*command[:6], "--show-bin-path"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
            programs[name] = Path(where) / product
            continue
        for row in rows:
            if row.name == name:
                row.failure = f"{product} did not build: {ended.stdout.strip()[-300:]}"
    return programs


def figures(program, given):
    """Microseconds for one whole token by algorithm: the last number of each line, whose first word is the algorithm."""
    ended = subprocess.run(
        [str(program)], input=given, stdout=subprocess.PIPE, text=True, check=True, timeout=120,
        preexec_fn=lambda: os.sched_setaffinity(0, GATEWAY_CORES))
    return {line.split()[0]: float(line.split()[-1]) for line in ended.stdout.splitlines() if line.strip()}


NOTE = (
    "Microseconds for one whole token on one core: parsing, signature, issuer, audience, expiry. The best of several repetitions in each round. "
    "jwt-kit brings its own BoringSSL; Bearward calls the machine's libcrypto.")

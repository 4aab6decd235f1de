#!/usr/bin/env python3
"""Runs `check`, `test`, `diff` and `explain` on mutated files and tokens: each ends by itself, and prints no raw control byte.

    Tests/Fuzzing/commands.py [--binary PATH] [--count 10000] [--seed N] [--examples DIRECTORY] [--keep DIRECTORY]

A round mutates one of the shipped examples, or its tests, or a token of a known key, and gives the results to the four commands in turn. What
fails is printed with its command and left in --keep. A round depends on nothing but the seed and its number.
"""

import argparse
import base64
import concurrent.futures
import json
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile

from joserfc import jws
from joserfc.jwk import ECKey

HERE = pathlib.Path(__file__).resolve().parent
# Exit codes that the commands document. A signal is a negative one.
LAWFUL = {0, 1, 64, 69, 75, 78}
# The C0 controls but the line feed, DEL, the C1 controls and the separators that some terminals take for a new line.
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f\x80-\x9f\u2028\u2029]")
SECONDS = 60

NUMBERS = [
    "0", "-0", "-1", "1", "1e400", "-1e400", "1e308", "1e-400", ".inf", "-.inf", ".nan", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "18446744073709551616", "99999999999999999999999999999999999999", "253402300799", "253402300800", "0x7fffffffffffffff",
    "1_000", "00", "1.5", "4294967296", "2147483648",
]
QUANTITIES = [number + unit for number in ["0", "1", "-1", "999999999", "1000000000", "1000000001", "999999999999999999", "9" * 30]
              for unit in ["ms", "s", "m", "h", "d", "B", "KiB", "GiB", "/s", "%", ""]]
DATES = ["2026-12-24", "9999-12-31", "0000-01-01", "10000-01-01", "-9999-01-01", "2026-13-40", "2026-12-24T24:60:60Z", "9999-12-31T23:59:59+99:99",
         "1969-12-31T23:59:59Z", "292277026596-12-04T15:30:07Z"]
CONTROLS = ["\\e[31mred", "\\0", "\\x07", "\\x9b2J", "\\u2028", "\\u202e", "\\x7f", "\\r\\n", "\\t", "\\ud800", "\\uFEFF", "\\u0085"]
PIECES = NUMBERS + QUANTITIES + DATES + ['"%s"' % text for text in CONTROLS] + [
    "*", "&a ", "*a", "!!str ", "<<: ", "- ", ": ", "{", "}", "[", "]", '"', "'", "#", "\n", "\n  ", "|", ">", "%", "@", "`", "${A}", "${A:-b}",
    "---\n", "null", "~", "true", "public", "optional", "GET /**: a\n", "{glob: \"*\"}", "{not: x}", "any_of: ", "at: ", "until: ", "exp: ", "issued: ",
    "max_age: ", "a" * 5000, "[" * 200, "\x1b[2J", "\x00", "\x9b", "\u2028", "\u202e", "\ufeff", "\x7f", "\r",
]
JSON_PIECES = ["1e400", "-1e400", "1e308", "9223372036854775808", "-1", "null", "true", "[]", "{}", '""', '"\\u001b[31m"', '"\\u0000"', '"\\u009b"', '"\\u2028"',
               '"\\ud800"', "253402300800", "1.7976931348623157e308", "0.1", '"' + "a" * 3000 + '"', "[" * 60 + "]" * 60]
CLAIMS = ["iss", "aud", "exp", "nbf", "iat", "sub", "scope", "auth_time", "acr", "jti", "client_id", "roles", "azp", "tid", "act", "cnf"]


def mutated(text, chance):
    """The text with a few parts removed, doubled or replaced; the places of values are preferred."""
    for _ in range(chance.randint(1, 4)):
        if not text:
            return chance.choice(PIECES)
        if chance.random() < 0.6 and (values := list(re.finditer(r"(?<=[:,\[{] )[^\s,\]}:]+", text))):
            found = chance.choice(values)
            text = text[:found.start()] + chance.choice(PIECES) + text[found.end():]
            continue
        start = chance.randrange(len(text))
        end = min(len(text), start + chance.randint(0, 12))
        text = chance.choice([
            text[:start] + text[end:], text[:start] + text[start:end] * 2 + text[end:], text[:start] + chance.choice(PIECES) + text[end:],
            text[:start] + chance.choice(PIECES) + text[start:],
        ])
    return text


class Bench:
    """What rounds share: the examples, a file whose issuer's key is here, and that key."""

    def __init__(self, binary, examples, directory):
        self.binary, self.directory = binary, directory
        self.examples = sorted(path for path in examples.glob("*.yaml") if not path.name.endswith(".tests.yaml"))
        self.key = ECKey.generate_key("P-256", {"kid": "k", "alg": "ES256", "use": "sig"})
        keys = directory / "keys.json"
        keys.write_text(json.dumps({"keys": [self.key.as_dict(private=False)]}))
        self.judged = directory / "judged.yaml"
        self.judged.write_text(f"""\
listen: 127.0.0.1:8080
issuers:
  lab: {{issuer: "https://iss.example", jwks_file: {keys}, algorithms: [ES256], token_type: any, max_lifetime: 1h}}
resources:
  lab:
    at: /
    audiences: [api]
    issuers: [lab]
    upstream: http://127.0.0.1:9
    rules:
      GET /read: read
      GET /fresh: {{max_age: 5m, acr: gold, roles: [staff]}}
      GET /of/{{org}}: {{organization: "{{org}}", claims: {{department: sales}}}}
      GET /not: {{not: {{claims: {{department: sales}}}}}}
    forward: {{identity: {{subject: X-Sub, scopes: X-Scope, roles: X-Roles}}}}
""")

    def token(self, chance, now=1_793_500_000):
        claims = {"iss": "https://iss.example", "aud": "api", "exp": now + 600, "iat": now, "sub": "u", "scope": "read", "auth_time": now}
        text = json.dumps(claims)
        for _ in range(chance.randint(0, 3)):
            name = chance.choice(CLAIMS)
            text = text[:-1] + f', "{name}x": 1}}' if chance.random() < 0.1 else re.sub(
                f'"{name}": [^,}}]*', lambda _: f'"{name}": {chance.choice(JSON_PIECES)}', text)
        if chance.random() < 0.3:
            text = mutated(text, chance)
        try:
            token = jws.serialize_compact({"alg": "ES256", "kid": "k"}, text.encode("utf-8", "surrogatepass"), self.key)
        except Exception:
            token = "x.y.z"
        if chance.random() < 0.3:
            header = base64.urlsafe_b64encode(mutated('{"alg": "ES256", "kid": "k", "typ": "JWT"}', chance).encode("utf-8", "replace")).decode().rstrip("=")
            token = header + token[token.index("."):]
        if chance.random() < 0.2:
            token = mutated(token, chance)
        # A program's argument has no zero byte.
        return token.replace("\0", "").encode("utf-8", "replace").decode()

    def commands(self, number, seed):
        """The arguments of one round's commands."""
        chance = random.Random(f"{seed} {number}")
        example = chance.choice(self.examples)
        own, tests = self.directory / f"{number}.yaml", self.directory / f"{number}.tests.yaml"
        own.write_text(mutated(example.read_text(), chance), encoding="utf-8", errors="replace")
        stated = example.with_suffix(".tests.yaml")
        text = stated.read_text() if stated.exists() else "tests: []\n"
        tests.write_text(mutated(text, chance), encoding="utf-8", errors="replace")
        layout = chance.choice([["--format", "json"], ["--format", "text"]])
        when = chance.choice(NUMBERS + DATES + ["1793500000", "2026-11-02T00:00:00Z"])
        path = chance.choice(["/read", "/fresh", "/of/acme", "/not", "/%2e%2e/x", "/a%2fb", "/\x1b[31m", "/read?access_token=x", "/é"])
        fields = chance.choice([[], ["--header", "X-A: \x1b[2J"], ["--header", "Authorization: Basic x"], ["--header", "Host: \x9b"]])
        yield own, ["check", "--config", str(own)] + layout
        yield tests, ["test", "--config", str(chance.choice([example, own])), str(tests)] + chance.choice([layout, ["--format", "junit"], ["--mutate"]])
        pair = [str(example), str(own)]
        chance.shuffle(pair)
        yield own, ["diff"] + pair + layout
        yield None, ["explain", "--offline", "--config", str(self.judged), f"--token={self.token(chance)}", f"--at={when}"] + fields + layout + ["GET", path]
        own.unlink()
        tests.unlink()

    def round(self, number, seed, keep):
        failures = []
        for file, arguments in self.commands(number, seed):
            try:
                done = subprocess.run([self.binary, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
                status, output = done.returncode, done.stdout + done.stderr
            except subprocess.TimeoutExpired:
                status, output = f"more than {SECONDS} s", b""
            text = output.decode("utf-8", "replace")
            found = CONTROL.search(text)
            if status in LAWFUL and not found:
                continue
            cause = f"status {status}" if status not in LAWFUL else f"a raw {found.group()!r} in {text[max(0, found.start() - 80):found.end() + 40]!r}"
            failures.append(f"round {number}: {cause}\n    {self.binary} {' '.join(map(ascii, arguments))}\n    {ascii(text[-300:])}")
            if keep and file:
                (keep / file.name).write_bytes(file.read_bytes())
        return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=str(HERE.parent.parent / ".build/release/bearward"))
    parser.add_argument("--examples", default=str(HERE.parent.parent / "deploy/examples"), type=pathlib.Path)
    parser.add_argument("--count", default=10_000, type=int)
    parser.add_argument("--seed", default=random.randrange(1 << 32), type=int)
    parser.add_argument("--first", default=0, type=int)
    parser.add_argument("--jobs", default=2, type=int)
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    failures = []
    # Told to end, it removes its files; whoever starts it may have blocked that.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to end"))
    with tempfile.TemporaryDirectory(prefix="commands-") as directory, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        bench = Bench(given.binary, given.examples, pathlib.Path(directory))
        numbers = range(given.first, given.first + given.count)
        for found in pool.map(lambda number: bench.round(number, given.seed, given.keep), numbers):
            for failure in found:
                print(failure, flush=True)
            failures += found
    print(f"{given.count} rounds of four commands with seed {given.seed}: {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()

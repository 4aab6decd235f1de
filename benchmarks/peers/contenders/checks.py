"""Each contender must give the right answers before it is timed: a fast wrong answer is worth nothing."""

import http.client
import re
import ssl
import subprocess
import time

from measuring.tokens import AUDIENCE


class WrongAnswer(Exception):
    """A contender whose configuration does not do what is to be compared."""


def answers(program, target="/api/orders/7", method="GET", token=None):
    if program.is_secure:
        connection = http.client.HTTPSConnection("127.0.0.1", program.port, timeout=30, context=ssl._create_unverified_context())
    else:
        connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=30)
    try:
        connection.request(method, target, headers={"Authorization": f"Bearer {token}"} if token else {})
        return connection.getresponse().status
    finally:
        connection.close()


def answers_http2(program, target, token=None, call=None):
    """The status of one HTTP/2 request, by nghttp. `call`: a file to post as a call of gRPC, whose own status counts."""
    command = ["nghttp", "--no-dep", "-v", *authorization(token), *(GRPC + ["-d", call] if call else [])]
    url = f"{'https' if program.is_secure else 'http'}://127.0.0.1:{program.port}{target}"
    done = subprocess.run([*command, url], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=30)
    found = re.search(r"grpc-status: (\d+)" if call else r":status: (\d+)", re.sub(r"\x1b\[[\d;]*m", "", done.stdout))
    return int(found[1]) if found else f"nothing ({done.stdout.strip()[-200:]})"


def authorization(token):
    return ["-H", f"authorization: Bearer {token}"] if token else []


GRPC = ["-H", "content-type: application/grpc", "-H", "te: trailers"]
# What gRPC calls the statuses: OK, UNAUTHENTICATED, PERMISSION_DENIED.
CALLS = {200: 0, 401: 16, 403: 7}


def check_plain(program, target="/api/orders/7"):
    expect(program, "a request without a token", answers(program, target), 200)


def check_verifying(program, issuer, algorithm, target="/api/orders/7"):
    """A good token is let in; a changed, expired, foreign or missing one is 401; one without the scope is 403."""
    wait_for_keys(program, target, issuer.sign(algorithm))
    for name, token, status in cases(issuer, algorithm):
        expect(program, name, answers(program, target, token=token), status)


def check_plain_http2(program, target, call=None):
    expect(program, "a request without a token", answers_http2(program, target, call=call), 0 if call else 200)


def check_verifying_http2(program, issuer, algorithm, target, call=None):
    """The same over HTTP/2; a call of gRPC is refused with gRPC's status of that meaning."""
    for name, token, status in cases(issuer, algorithm):
        expected = status if isinstance(status, tuple) else (status,)
        if call:
            expected = tuple(CALLS[status] for status in expected)
        expect(program, name, answers_http2(program, target, token, call), expected)


def cases(issuer, algorithm):
    """What is sent, its token, and the status to be answered."""
    good = issuer.sign(algorithm)
    head, body, signature = good.split(".")
    return [
        ("a good token", good, 200),
        ("a token with a changed signature", f"{head}.{body}.{swapped(signature)}", 401),
        ("an expired token", issuer.sign(algorithm, exp=1_000_000_000), 401),
        # Envoy answers 403 here: it has verified the token, and that it is not for this place is what it forbids.
        ("a token for another audience", issuer.sign(algorithm, aud=AUDIENCE + "/other"), (401, 403)),
        ("a token without the scope", issuer.sign(algorithm, scope="profile"), 403),
        ("no token", None, 401),
    ]


def wait_for_keys(program, target, token, deadline=15):
    """A program may listen before it has read the keys; it says so with 503."""
    end = time.monotonic() + deadline
    while answers(program, target, token=token) == 503 and time.monotonic() < end:
        time.sleep(0.005)


def swapped(signature):
    """The signature with its tenth character exchanged."""
    return signature[:9] + ("B" if signature[9] == "A" else "A") + signature[10:]


def expect(program, case, status, expected):
    if status not in (expected if isinstance(expected, tuple) else (expected,)):
        raise WrongAnswer(f"{program.name} answered {case} with {status} instead of {expected}: {program.last_words()}")

#!/usr/bin/env python3
"""systemctl where no systemd runs. The real one reads every call, so no option or unit can be wrong; what the manager would then do is done here.

`enable` is the real one's work. A service starts as its installed files say: with the sockets of `ListenStream`, as a user without privileges in
`SupplementaryGroups`, and it has started when it says so (`Type=notify`). The sandbox is SystemdTests' matter. Whatever else is asked is refused.
"""

import fcntl
import grp
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

UNITS = Path("/etc/systemd/system")
SERVICE, SOCKET = "bearward.service", "bearward.socket"
MAIN = Path("/run/bearward.pid")
LOG = Path("/run/bearward.log")
NOTIFICATIONS = "/run/bearward.notify"
# One of those that `DynamicUser` takes; nobody has it.
USER = 61184


def settings(unit, key):
    """The values of a key in a unit and its drop-ins; an empty one discards those before it."""
    values = []
    for file in [UNITS / unit, *sorted((UNITS / f"{unit}.d").glob("*.conf"))]:
        for line in file.read_text().splitlines():
            name, _, value = line.partition("=")
            if name == key:
                values = values + [value] if value else []
    return values


def commands(key):
    pid = MAIN.read_text() if MAIN.exists() else ""
    return [shlex.split(command.replace("$MAINPID", pid)) for command in settings(SERVICE, key)]


def groups():
    return [grp.getgrnam(name).gr_gid for name in settings(SERVICE, "SupplementaryGroups")]


def make_log_directory():
    for name in settings(SERVICE, "LogsDirectory"):
        directory = Path("/var/log", name)
        directory.mkdir(exist_ok=True)
        os.chown(directory, USER, USER)
        directory.chmod(int(settings(SERVICE, "LogsDirectoryMode")[0], 8))


def listeners():
    opened = []
    for address in settings(SOCKET, "ListenStream"):
        host, port = address.rsplit(":", 1)
        both = settings(SOCKET, "BindIPv6Only") == ["both"]
        family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
        opened.append(socket.create_server((host.strip("[]"), int(port)), family=family, dualstack_ipv6=both))
    return opened


def execute_service(sockets):
    """The child: takes the sockets from descriptor 3 on, gives up root, and becomes the program."""
    os.setsid()
    log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    # Out of the way first: a socket may have a number that another one is to get.
    held = [fcntl.fcntl(one, fcntl.F_DUPFD, 100) for one in sockets]
    for index, fd in enumerate([os.open("/dev/null", os.O_RDONLY), log, log, *held]):
        os.dup2(fd, index)
    os.closerange(3 + len(held), 1000)
    os.umask(int(settings(SERVICE, "UMask")[0], 8))
    os.setgroups(groups())
    os.setgid(USER)
    os.setuid(USER)
    told = {"LISTEN_FDS": str(len(held)), "LISTEN_PID": str(os.getpid()), "NOTIFY_SOCKET": NOTIFICATIONS}
    program = commands("ExecStart")[0]
    os.execve(program[0], program, {"PATH": "/usr/bin:/bin"} | told)


def start():
    make_log_directory()
    for command in commands("ExecStartPre"):
        subprocess.run(command, user=USER, group=USER, extra_groups=groups(), check=True)
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind(NOTIFICATIONS)
    os.chmod(NOTIFICATIONS, 0o777)
    heard.settimeout(20)
    sockets = listeners()
    pid = os.fork()
    if pid == 0:
        try:
            execute_service(sockets)
        finally:
            os._exit(70)
    MAIN.write_text(str(pid))
    try:
        message = heard.recv(1000)
    except TimeoutError:
        sys.exit(f"{SERVICE} did not start: {LOG.read_text()}")
    if b"READY=1" not in message:
        sys.exit(f"{SERVICE} says {message}: {LOG.read_text()}")


def stop():
    pid = int(MAIN.read_text())
    os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + 20
    # Whoever adopted it may be slow to ask for its status.
    while Path(f"/proc/{pid}").exists() and ") Z " not in Path(f"/proc/{pid}/stat").read_text():
        if time.monotonic() > end:
            sys.exit(f"{SERVICE} does not stop: {LOG.read_text()}")
        time.sleep(0.02)
    MAIN.unlink()


def judged_by_the_real_one(arguments):
    found = subprocess.run(["/usr/bin/systemctl", *arguments], capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"})
    told = found.stdout + found.stderr
    if not re.search("has not been booted with systemd|Running in chroot", told):
        sys.exit(f"systemctl {' '.join(arguments)}: {told}")


def main():
    arguments = sys.argv[1:]
    # Elsewhere the real one would reach the real manager.
    if not Path("/run/scratch-machine").exists():
        sys.exit("this stand-in works only where machine.sh has emptied /run")
    judged_by_the_real_one(arguments)
    match arguments:
        case ["daemon-reload"]:
            told = subprocess.run(["systemd-analyze", "verify", "--man=no", UNITS / SERVICE, UNITS / SOCKET], capture_output=True, text=True)
            if told.returncode or told.stderr:
                sys.exit(told.stderr)
        case ["enable", "--now", *units] if sorted(units) == [SERVICE, SOCKET]:
            for link in ["multi-user.target.wants/" + SERVICE, "sockets.target.wants/" + SOCKET]:
                if not (UNITS / link).is_symlink():
                    sys.exit(f"{link} is not enabled")
            start()
        case ["kill", sent, "--kill-whom=main", "bearward"] if found := re.fullmatch("--signal=([A-Z0-9]+)", sent):
            os.kill(int(MAIN.read_text()), signal.Signals["SIG" + found[1]])
        case ["reload", "bearward"]:
            for command in commands("ExecReload"):
                subprocess.run(command, check=True)
        case ["stop", *units] if sorted(units) == [SERVICE, SOCKET]:
            stop()
        case _:
            sys.exit(f"{Path(__file__).name} does not know this call; teach it: systemctl {' '.join(arguments)}")


main()

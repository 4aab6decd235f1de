"""What a scenario runs in: a directory, cores, an upstream, an issuer, and the programs it started."""

import tempfile
from pathlib import Path

from contenders import nginx
from measuring.running import Running, free_port
from measuring.tokens import Issuer

GATEWAY_CORES = {0}
LOAD_CORES = {1}


class World:
    """Ends everything it started when the scenario is left."""

    def __init__(self, options, issuer=None):
        self.options = options
        self.kept = tempfile.TemporaryDirectory(prefix="bearward-peers-")
        self.directory = Path(self.kept.name)
        # Some contenders give up root; what they read must stay readable to them.
        self.directory.chmod(0o755)
        self.running = []
        self.issuer = issuer or Issuer(self.directory)
        self.upstream_port, self.http2_port, self.grpc_port = free_port(), free_port(), None
        self.start("upstream", nginx.upstream(self.directory, self.upstream_port, self.http2_port), self.upstream_port, LOAD_CORES)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for program in self.running:
            program.stop()
        self.kept.cleanup()

    def start(self, name, command, port, cores=GATEWAY_CORES, deadline=30):
        log = self.directory / f"{len(self.running)}.log"
        program = Running(name, command, port, cores, log, deadline)
        self.running.append(program)
        return program

    def stop(self, program):
        program.stop()
        self.running.remove(program)

    def file(self, name, text):
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

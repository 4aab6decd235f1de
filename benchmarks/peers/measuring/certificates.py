"""A certificate for this machine, as the contenders read it."""

import subprocess


class Identity:
    """ECDSA on P-256, signed by itself: `certificate`, `key`, and `both` in one file."""

    def __init__(self, directory):
        self.certificate, self.key, self.both = (directory / name for name in ("edge.pem", "edge.key", "edge.both"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", self.key, "-out", self.certificate],
            check=True, stderr=subprocess.DEVNULL)
        self.both.write_text(self.certificate.read_text() + self.key.read_text())
        for path in (self.certificate, self.key, self.both):
            path.chmod(0o644)

"""A Redis that keeps nothing on disk, for quotas that several gateways share."""

from measuring.running import Running, free_port


class Store:
    def __init__(self, directory, cores):
        port = free_port()
        command = ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", directory]
        self.program = Running("redis", command, port, cores, directory / "redis.log")
        secret = directory / "secret"
        secret.write_text("0123456789abcdef" * 4)
        secret.chmod(0o600)
        # Long, because under callgrind everything takes long.
        self.settings = f'shared_state: {{url: "redis://127.0.0.1:{port}/0", nodes: 1, secret_file: {secret}, timeout: 5s}}\n'

    def stop(self):
        self.program.stop()

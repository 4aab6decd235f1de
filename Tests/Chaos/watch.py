"""The watch: worker, memory and descriptors of each gateway while the load runs, and when everything rests."""

import time

# How long the gateways may take to be rid of clients that went away: longer than any time-out of theirs.
REST_LIMIT = 60
# Connections to the upstream that nobody uses any more end after a minute.
POOL_LIMIT = 90
# Free memory goes back to the system every ten seconds.
TRIM_LIMIT = 30
# What a worker at rest may hold more of than it held after the warm-up: connections that are just being exchanged.
MORE_DESCRIPTORS = 8
MORE_MEMORY = 10 * 1024


class Watch:
    """`trouble` has what must not be, in the order in which it was seen."""

    def __init__(self, gateways, upgrades=False):
        """`upgrades`: workers replace each other as they are told to."""
        self.gateways, self.upgrades = gateways, upgrades
        self.trouble = []
        self.course = {gateway.name: [] for gateway in gateways}

    def look(self):
        """Notes the figures of this moment; whether all is as it must be."""
        for gateway in self.gateways:
            self.course[gateway.name].append((gateway.resident(), gateway.descriptors()))
            if self.upgrades:
                self.follow(gateway)
            elif not self.trouble and gateway.workers() != [gateway.worker]:
                self.trouble.append(f"{gateway.name}: the worker {gateway.worker} ended; now there is {gateway.workers()}")
        return not self.trouble

    def follow(self, gateway):
        """The newest worker is the one to look at; none may have ended but those that were told to."""
        workers = gateway.workers()
        if workers:
            gateway.worker = workers[-1]
        for text in gateway.unexpected_ends()[:1] if not self.trouble else []:
            self.trouble.append(f"{gateway.name}: {text}")


def rest(gateways):
    """Waits until nobody is connected any more and nothing is in flight; what is left over, if it does not come to that."""
    return [text for gateway in gateways if (text := left_over(gateway))]


def left_over(gateway):
    # The inner gateway's client is the other one, which keeps its connections for later.
    figures = ["bearward_requests_in_flight"] + ["bearward_connections"] * (gateway.name != "inner")
    end = time.monotonic() + REST_LIMIT
    while True:
        seen = {figure: gateway.metric(figure) for figure in figures}
        if not any(value != 0 for value in seen.values()):
            return None
        if time.monotonic() > end:
            return f"{gateway.name}: {seen} after {REST_LIMIT} s without a client"
        time.sleep(0.2)


def memory_at_rest(gateway, most):
    """Resident memory in KiB once it is no more than that, or when the time for it is over."""
    end = time.monotonic() + TRIM_LIMIT
    while (resident := gateway.resident()) > most and time.monotonic() < end:
        time.sleep(0.2)
    return resident


def descriptors_at_rest(gateway, most):
    """How many descriptors it holds once they are no more than that, or when the time for it is over."""
    end = time.monotonic() + POOL_LIMIT
    while (count := gateway.descriptors()) > most and time.monotonic() < end:
        time.sleep(0.2)
    return count

"""A chaos test from outside: random and mutated bytes of HTTP/1.1 and HTTP/2, with resets at every step, beside good traffic.

    python3 Tests/Chaos --seconds 60 --binary .build/debug/bearward --dev-binary .build/debug/bearward-dev

It needs Python's standard library and the `openssl` command, speaks to 127.0.0.1 alone, and ends by itself. The exit status is 0 if the
worker is the one that it was, every good request got its answer, and at rest neither memory nor descriptors grew. The same seed makes
the same connections in each process of the load; `--show WORKER/NUMBER` prints one of them.
"""

import argparse
import multiprocessing
import pathlib
import queue
import random
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import client  # noqa: E402
import good  # noqa: E402
import plan as plans  # noqa: E402
import report  # noqa: E402
import watch as watches  # noqa: E402
from stand import LISTENERS, Stand, make_tokens  # noqa: E402

# The share of the time that goes before the first look at memory and descriptors, within bounds in seconds.
WARM_UP, WARM_UP_BOUNDS = 0.4, (5, 60)
# Of the connections, at least so many must reach the upstream, or the gateway was only asked to refuse.
LEAST_REACHED = 0.2
# Between two looks of the watch, in seconds.
LOOK = 0.5


def main():
    options = arguments()
    if options.show:
        return show(options)
    # Whoever starts this may have blocked signals, and processes of ours that block SIGTERM would outlive the run.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # Told to end, it takes with it what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("chaos: told to end"))
    print(f"chaos: seed {options.seed}, {options.seconds:g} s, {options.workers} processes of {options.width} connections, "
          f"listeners {' '.join(options.listeners)}", flush=True)  # fmt: skip
    with Stand(options) as stand:
        trouble = Run(stand, options).judge()
    for text in trouble:
        print("chaos: FAILED:", text)
    print("chaos: failed" if trouble else "chaos: passed")
    return 1 if trouble else 0


def arguments():
    names = [listener.name for listener in LISTENERS]
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--binary", default=".build/release/bearward", help="the gateway")
    parser.add_argument("--dev-binary", default=".build/debug/bearward-dev", help="what makes the tokens")
    parser.add_argument("--seconds", type=float, default=600, help="how long the load runs, warm-up included")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--workers", type=int, default=2, help="processes of the load")
    parser.add_argument("--width", type=int, default=48, help="connections that each has at once")
    parser.add_argument("--listeners", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--least-connections", type=int, default=0, help="go on until there were so many, for five times as long at most")
    parser.add_argument("--least-rate", type=float, default=0, help="connections a second, below which the run fails")
    parser.add_argument(
        "--signals", action="store_true",
        help="beside the load SIGHUP, SIGUSR1 and SIGUSR2 at any time, and upstreams by names whose servers fall silent; needs root")
    parser.add_argument("--keep", action="store_true", help="leave the files and logs of the run where they are")
    parser.add_argument("--show", metavar="WORKER/NUMBER", help="print what one connection does, and end")
    return parser.parse_args()


class Run:
    """The load and the watch over it, from the warm-up to the end of the gateways."""

    def __init__(self, stand, options):
        self.stand, self.options = stand, options
        self.stop = multiprocessing.Event()
        self.started = multiprocessing.Array("Q", options.workers, lock=False)
        self.tally = multiprocessing.Array("Q", options.workers * 2 * len(LISTENERS), lock=False)
        self.good = multiprocessing.Array("Q", 3, lock=False)
        self.failures = multiprocessing.Queue()
        self.load_time = 0.0
        self.watch = watches.Watch(stand.gateways, options.signals)

    def judge(self):
        """Runs it all and prints the figures; what was wrong."""
        stand, seconds = self.stand, self.options.seconds
        warm_up = min(max(WARM_UP * seconds, WARM_UP_BOUNDS[0]), WARM_UP_BOUNDS[1])
        self.load(warm_up, self.options.least_connections // 2)
        hanging = watches.rest(stand.gateways) if not self.watch.trouble else []
        first = {gateway.name: (gateway.resident(), gateway.descriptors()) for gateway in stand.gateways}
        if stand.disturbance:
            stand.disturbance.begin(stand.gateways)
        if not self.watch.trouble:
            self.load(seconds - warm_up, self.options.least_connections)
        if stand.disturbance:
            stand.disturbance.calm()
            print(f"chaos: {stand.disturbance.figures()}")
        if not self.watch.trouble:
            hanging += watches.rest(stand.gateways)
        trouble = self.watch.trouble + hanging
        # A worker that has just begun holds other things than one that has worked for a while.
        for gateway in stand.gateways if not self.watch.trouble and not stand.disturbance else []:
            trouble += self.growth(gateway, *first[gateway.name])
        trouble += ([] if self.watch.trouble else self.restarts() + self.unexpected()) + self.ends()
        for name, samples in self.watch.course.items():
            print(f"chaos: {name}: MiB in the course of the run: {report.course(samples)}")
        return trouble + self.figures(judged=not trouble)

    def load(self, seconds, least=0):
        """Chaos and good traffic for so long and for so many connections in all, or until the watch ends them."""
        begin, context, stop_good = time.monotonic(), multiprocessing.get_context("fork"), multiprocessing.Event()
        options = self.options
        good_traffic = context.Process(
            target=good.ask, args=(self.stand, self.good, self.failures, stop_good), daemon=True)
        good_traffic.start()
        load = [
            context.Process(
                target=client.load, daemon=True,
                args=(self.stand, options, worker, self.started, self.tally, seconds, least, self.stop))
            for worker in range(options.workers)
        ]  # fmt: skip
        for process in load:
            process.start()
        ended, total = begin, 0
        while any(process.is_alive() for process in load):
            # Those that have begun may still take a while to end, in which no others begin.
            if sum(self.started) > total:
                ended, total = time.monotonic(), sum(self.started)
            if not self.watch.look():
                self.stop.set()
            time.sleep(LOOK)
        stop_good.set()
        good_traffic.join()
        self.load_time += ended - begin
        if any(process.exitcode for process in load + [good_traffic]):
            raise SystemExit("chaos: a process of the load failed")

    # MARK: What was wrong

    @staticmethod
    def growth(gateway, resident, descriptors):
        last_descriptors = watches.descriptors_at_rest(gateway, descriptors + watches.MORE_DESCRIPTORS)
        last = watches.memory_at_rest(gateway, resident + watches.MORE_MEMORY)
        print(f"chaos: {gateway.name}: worker {gateway.worker}; memory first {resident} KiB, last {last} KiB; "
              f"descriptors first {descriptors}, last {last_descriptors}")  # fmt: skip
        trouble = []
        if last > resident + watches.MORE_MEMORY:
            trouble.append(f"{gateway.name}: memory grew from {resident} KiB to {last} KiB")
        if last_descriptors > descriptors + watches.MORE_DESCRIPTORS:
            trouble.append(f"{gateway.name}: descriptors grew from {descriptors} to {last_descriptors}")
        return trouble

    def unexpected(self):
        """Events that no state machine of a request expects."""
        counts = {gateway.name: gateway.metric("bearward_unexpected_events_total") for gateway in self.stand.gateways}
        return [f"{name}: {count} unexpected events" for name, count in counts.items() if count != 0]

    def restarts(self):
        counts = {gateway.name: gateway.metric("bearward_worker_restarts_total") for gateway in self.stand.gateways}
        return [f"{name}: {count} worker restarts" for name, count in counts.items() if count != 0]

    def ends(self):
        """Each gateway is told to end; it must do so with 0, within its drain."""
        trouble = []
        for gateway in reversed(self.stand.gateways):
            met = {labels: int(count) for labels, count in gateway.metrics("bearward_limit_hits_total").items() if count}
            print(f"chaos: {gateway.name}: limits met: {met}")
            status = gateway.stop()
            if status != 0:
                trouble.append(f"{gateway.name}: exit status {status} after SIGTERM")
            if status != 0 or self.watch.trouble:
                print(f"chaos: from the log of {gateway.name}:\n{gateway.last_words()}")
        return trouble

    def figures(self, judged):
        """Prints what was done; what of it was too little, or was not answered."""
        rows = report.connections(self.stand, LISTENERS, self.tally, self.options.workers)
        total = sum(older + newer for _, older, newer in rows)
        reached, (answered, failed, again) = self.stand.reached.value, self.good
        rate = total / max(self.load_time, 1e-9)
        print("chaos: connections by listener (HTTP/1.1 or none, HTTP/2): "
              + ", ".join(f"{name} {older} {newer}" for name, older, newer in rows))  # fmt: skip
        print(f"chaos: numbers begun by each process: {' '.join(str(number) for number in self.started)}")
        print(f"chaos: {total} connections in {self.load_time:.0f} s, {rate:.0f} a second; "
              f"{reached} reached the upstream ({reached / max(total, 1):.1%}); good requests: {answered} answered, {failed} failed, "
              f"{again} asked again")  # fmt: skip
        trouble = [f"{failed} good requests failed"] * (failed > 0) + self.first_failures()
        if judged and reached < LEAST_REACHED * total:
            trouble.append(f"only {reached} of {total} connections reached the upstream")
        if judged and total < self.options.least_connections:
            trouble.append(f"only {total} connections")
        if judged and rate < self.options.least_rate:
            trouble.append(f"only {rate:.0f} connections a second")
        if judged and answered == 0:
            trouble.append("no good request was answered")
        return trouble

    def first_failures(self, most=10):
        failures = []
        while len(failures) < most:
            try:
                failures.append("good request: " + self.failures.get(timeout=0.2))
            except queue.Empty:
                break
        return failures


def show(options):
    """Prints the plan of one connection. The tokens are new ones, of the length that those of the run had."""
    worker, number = (int(part) for part in options.show.split("/"))
    with tempfile.TemporaryDirectory() as directory:
        _, tokens = make_tokens(options.dev_binary, pathlib.Path(directory), options.seconds)
    plan = plans.make(options.seed, worker, number, tokens, options.listeners)
    print(plan.listener.name, plan.kind, "offers", plan.offered, "flights", plan.flights, "ends with", plan.end)
    for what, argument in plan.steps:
        print(f"{what:6} {argument!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Rounds in turn, so that a change of the machine's mood meets every contender, and the lock that keeps others quiet meanwhile."""

import contextlib
import fcntl

from measuring.tools import told


@contextlib.contextmanager
def quiet(lock):
    """Holds the lock file, if one was named, while something is timed."""
    if lock is None:
        yield
        return
    with open(lock, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def interleave(options, rows, measure):
    """Measures each row once a round, each round beginning with another one. A row that fails says why and is left out from then on.

    `measure(row, seconds)` returns one sample. The first round warms up and is not kept.
    """
    for number in range(options.rounds + 1):
        seconds = options.seconds if number > 0 else options.warm_up
        with quiet(options.lock):
            for row in rows[number % len(rows):] + rows[:number % len(rows)]:
                measure_once(row, seconds, measure, keep=number > 0)
    return rows


def measure_once(row, seconds, measure, keep):
    if row.failure is not None:
        return
    try:
        taken = measure(row, seconds)
    except Exception as problem:
        row.failure = f"{problem}"
        told(f"{row.name}: {problem}")
        return
    if keep:
        row.samples.append(taken)

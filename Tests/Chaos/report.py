"""What a run says at its end."""


def connections(stand, listeners, tally, workers):
    """Connections by listener, those that spoke HTTP/2 apart."""
    rows, width = [], 2 * len(listeners)
    for index, listener in enumerate(listeners):
        older = sum(tally[worker * width + 2 * index] for worker in range(workers))
        newer = sum(tally[worker * width + 2 * index + 1] for worker in range(workers))
        rows.append((listener.name, older, newer))
    return rows


def course(samples, points=12):
    """A worker's memory in MiB at some points of the run."""
    step = max(1, len(samples) // points)
    return " ".join(f"{resident / 1024:.0f}" for resident, _ in samples[::step])

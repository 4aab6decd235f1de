"""Starts the programs that a script needs, and ends them with it, however it ends."""
import atexit
import signal
import subprocess
import sys
import traceback

SECONDS = 10
running = []

# Whoever starts a script may have blocked signals, and what takes that over would not end by SIGTERM.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to end"))


def tell_in_a_line(kind, error, trace):
    """Tells of an error that nothing has caught in one line, before its trace, of which a report may show no more than the first."""
    print(f"WRONG: line {traceback.extract_tb(trace)[0].lineno}: {kind.__name__}: {error}", flush=True)
    sys.__excepthook__(kind, error, trace)


sys.excepthook = tell_in_a_line


def start(command, **options):
    running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, **options))
    return running[-1]


@atexit.register
def end():
    """Tells all of them to end, and waits for that."""
    for process in running:
        process.terminate()
    for process in running:
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

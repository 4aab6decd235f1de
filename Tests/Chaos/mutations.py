"""What may happen to bytes on their way: changed, put in, taken out, doubled, cut off, exchanged."""

AWKWARD = (b"\0", b"\r", b"\n", b"\r\n", b"\r\n\r\n", b" ", b":", b"\t", b"\x7f", b"\x80", b"\xff", b",", b";", b"0", b"-1", b"%00", b"\x0b")
NUMBERS = (b"0", b"-1", b"+1", b"0x10", b"4294967296", b"9223372036854775807", b"18446744073709551616", b"1" * 40, b"ffffffffffffffff")
# Bounds what repeating puts in, so that a connection stays a matter of kilobytes.
LONGEST_REPEAT = 8192


def mutate(rng, data, times=None):
    """The bytes with a few things done to them."""
    data = bytearray(data)
    for _ in range(times or rng.choice((1, 1, 1, 2, 3, 8))):
        if data:
            rng.choice(MUTATIONS)(rng, data)
    return bytes(data)


def flip(rng, data):
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def set_byte(rng, data):
    data[rng.randrange(len(data))] = rng.randrange(256)


def insert(rng, data):
    index = rng.randrange(len(data) + 1)
    data[index:index] = rng.choice(AWKWARD)


def insert_noise(rng, data):
    index = rng.randrange(len(data) + 1)
    data[index:index] = rng.randbytes(rng.randrange(1, 40))


def replace(rng, data):
    index = rng.randrange(len(data))
    data[index : index + 1] = rng.choice(AWKWARD)


def delete(rng, data):
    start, end = some_range(rng, data, 64)
    del data[start:end]


def double(rng, data):
    start, end = some_range(rng, data, 512)
    data[end:end] = data[start:end]


def repeat(rng, data):
    start, end = some_range(rng, data, 64)
    data[end:end] = data[start:end] * rng.randrange(1, max(2, LONGEST_REPEAT // max(1, end - start)))


def truncate(rng, data):
    del data[rng.randrange(len(data)) :]


def exchange(rng, data):
    start, end = some_range(rng, data, 64)
    part = data[start:end]
    del data[start:end]
    index = rng.randrange(len(data) + 1)
    data[index:index] = part


def change_number(rng, data):
    """Puts another number where one stands: a length, a port, a version."""
    index = rng.randrange(len(data))
    while index < len(data) and not 48 <= data[index] <= 57:
        index += 1
    end = index
    while end < len(data) and 48 <= data[end] <= 57:
        end += 1
    data[index:end] = rng.choice(NUMBERS) if index < end else b""


def some_range(rng, data, longest):
    start = rng.randrange(len(data))
    return start, min(len(data), start + rng.randrange(1, longest))


MUTATIONS = (flip, flip, set_byte, insert, insert, insert_noise, replace, delete, double, repeat, truncate, exchange, change_number)

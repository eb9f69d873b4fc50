"""Bytes are damaged without regard to what they mean."""

from __future__ import annotations

import re
from random import Random

NUMBERS = [
    b"0",
    b"-1",
    b"1e999",
    b"nan",
    b"99999999999999999999",
    b"4294967295",
    b"2147483648",
    b"1e-320",
    b"[]",
    b"{}",
]
WORDS = [
    b"\0",
    b"\xff\xfe",
    b"[" * 500,
    b'"',
    b"'",
    b"\n",
    b"\r",
    b"=",
    b"#",
    b"\x1b[31m",
    "🎲".encode(),
    b"../",
    b"x" * 3000,
]


def damaged(content: bytes, random: Random) -> bytes:
    """The bytes after a few changes: flipped, cut out, doubled, cut off, other numbers put in."""
    data = bytearray(content)
    for _ in range(random.choice([1, 1, 2, 4, 8])):
        if not data:
            break
        at = random.randrange(len(data))
        size = min(random.choice([1, 2, 4, 16, 200]), len(data) - at)
        match random.randrange(8):
            case 0:
                data[at] ^= 1 << random.randrange(8)
            case 1:
                del data[at : at + size]
            case 2:
                data[at:at] = data[at : at + size] * random.choice([1, 2, 30])
            case 3:
                del data[at:]
            case 4:
                data[at : at + size] = random.randbytes(size)
            case 5:
                data[at:at] = random.choice(WORDS)
            case 6 | 7:
                numbers = list(re.finditer(rb"-?\d+(?:\.\d+)?", data[at : at + 2000]))
                if numbers:
                    found = random.choice(numbers)
                    data[at + found.start() : at + found.end()] = random.choice(NUMBERS)
    return bytes(data)


def varied(content: bytes, random: Random) -> bytes:
    """A document with some of its numbers changed, so that most still say something."""
    numbers = list(re.finditer(rb"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])", content))
    data = bytearray(content)
    for found in sorted(random.sample(numbers, min(len(numbers), random.randint(1, 5))), key=lambda at: -at.start()):
        value = float(found[0])
        new = random.choice([0.0, -value, value + 1, value - 1, 2 * value, value / 3, value * 100, value + 1e-7])
        whole = b"." not in found[0] and random.random() < 0.8
        data[found.start() : found.end()] = (f"{new:.0f}" if whole else repr(new)).encode()
    return bytes(data)

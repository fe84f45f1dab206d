"""Ed25519 signatures, as RFC 8032 section 5.1 defines them: enough to check one, and to make one in a release.

Python's standard library has none, and one check a week is no reason for a package with native code. Checking is on
public data; `sign` runs in a release alone and does not hide how long it takes.
"""

from __future__ import annotations

import hashlib

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)  # a square root of -1

Point = tuple[int, int, int, int]
"""Extended homogeneous coordinates: x = X/Z, y = Y/Z, x y = T/Z."""


def verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` (64 bytes) was made over `message` with the key that belongs to `public` (32 bytes)."""
    if len(public) != 32 or len(signature) != 64:
        return False
    key, commitment = _unpack(public), _unpack(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or scalar >= _ORDER:
        return False
    challenge = _hash_number(signature[:32] + public + message)
    return _equal(_multiply(scalar, _BASE), _add(commitment, _multiply(challenge, key)))


def sign(secret: bytes, message: bytes) -> bytes:
    """The signature of `message` by the secret key (32 bytes)."""
    scalar, prefix = _expand(secret)
    public = _pack(_multiply(scalar, _BASE))
    nonce = _hash_number(prefix + message)
    commitment = _pack(_multiply(nonce, _BASE))
    challenge = _hash_number(commitment + public + message)
    return commitment + ((nonce + challenge * scalar) % _ORDER).to_bytes(32, "little")


def public_key(secret: bytes) -> bytes:
    """The public key of a secret one; each is 32 bytes."""
    return _pack(_multiply(_expand(secret)[0], _BASE))


def _expand(secret: bytes) -> tuple[int, bytes]:
    digest = hashlib.sha512(secret).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    return scalar, digest[32:]


def _hash_number(data: bytes) -> int:
    return int.from_bytes(hashlib.sha512(data).digest(), "little") % _ORDER


def _add(one: Point, other: Point) -> Point:
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % _P, (one[1] + one[0]) * (other[1] + other[0]) % _P
    c, d = 2 * one[3] * other[3] * _D % _P, 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _multiply(scalar: int, point: Point) -> Point:
    result: Point = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def _equal(one: Point, other: Point) -> bool:
    return (one[0] * other[2] - other[0] * one[2]) % _P == 0 == (one[1] * other[2] - other[1] * one[2]) % _P


def _find_x(y: int, sign_bit: int) -> int | None:
    """Section 5.1.3: the x of a point, or None where there is none."""
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    if square == 0:
        return None if sign_bit else 0
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P != 0:
        x = x * _ROOT % _P
    if (x * x - square) % _P != 0:
        return None
    return _P - x if x & 1 != sign_bit else x


def _unpack(data: bytes) -> Point | None:
    number = int.from_bytes(data, "little")
    y = number & ((1 << 255) - 1)
    x = _find_x(y, number >> 255)
    return None if x is None else (x, y, 1, x * y % _P)


def _pack(point: Point) -> bytes:
    inverse = pow(point[2], _P - 2, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _make_base() -> Point:
    y = 4 * pow(5, _P - 2, _P) % _P
    x = _find_x(y, 0) or 0
    return x, y, 1, x * y % _P


_BASE = _make_base()

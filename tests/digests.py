"""Numbers of others that a lone clone may not hold: their digest can, and shows that ours are the same."""

import hashlib
import json


def digest(value):
    """Sixteen hexadecimal digits of a list, number or text; every digit of a float counts."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]

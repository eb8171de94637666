"""What a test says of an error or a warning of ours: the argument and the code, never the wording."""

import warnings
from contextlib import contextmanager

import pytest

from gindex_lab import BadInput
from gindex_lab.foundation.errors import Caution

__all__ = ["cautioned", "refused"]


@contextmanager
def refused(what, kind=BadInput):
    """The block must raise an error of this kind, of which `what` is "argument: code".

    >>> with refused("ci: out-of-range"):
    ...     raise BadInput("ci", 2, "[out-of-range] is too large", "use 0.95")
    """
    with pytest.raises(kind) as caught:
        yield caught
    assert f"{caught.value.argument}: {caught.value.code}" == what, caught.value


@contextmanager
def cautioned(*codes):
    """The block must warn with a `Caution` of each of these codes; the warnings are handed out."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found
    said = {w.message.code for w in found if isinstance(w.message, Caution)}
    assert said >= set(codes), [str(w.message) for w in found]

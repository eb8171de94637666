"""`python -m gindex_lab` is `gindex-lab`."""

import sys

from gindex_lab.foundation.interrupts import INTERRUPTED, ends_once

__all__ = ["main"]


def main() -> int:
    """Load the command line and run it; Ctrl-C ends either in the same way."""
    try:
        with ends_once():
            from gindex_lab.press.cli import main as command

            return command()
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())

"""`python -m gindex_lab` is `gindex-lab`."""

import sys

from gindex_lab.press.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""Every notebook that loads published data, run without them: its page must be as clean on stand-ins.

`.ci/run` calls this after `make reproduce`, which ran them on the published data: `python tests/stand_ins.py FOLDER`.
"""

import os
import sys
from collections.abc import Collection
from pathlib import Path
from unittest.mock import patch

from gindex_lab.press.lint import findings, report
from gindex_lab.press.reproduction import inputs
from gindex_lab.press.reproduction.reproduce import reproduce

ROOT = Path(__file__).resolve().parent.parent


def run(names: Collection[str], reports: Path, jobs: int = 2) -> int:
    """Reproduce the notebooks of these names only; the exit status."""
    chosen = [entry for entry in inputs.read_catalogue(ROOT) if entry.path in names]
    with patch.object(inputs, "select", lambda entries, only: chosen):
        return reproduce(reports=reports, jobs=jobs, root=ROOT)


if __name__ == "__main__":
    os.environ["GINDEX_LAB_DATA"] = ""
    folder = Path(sys.argv[1])
    failed = run({entry.path for entry in inputs.read_catalogue(ROOT) if entry.data}, folder)
    found = findings(folder)
    print(report(found))
    sys.exit(1 if failed or found else 0)

"""The reports of a run as a part of the site: the same pages, at a third of the size.

A report is made to be passed on as one file, so that its pictures are inside it, and once more beside it, and
a third time in the executed notebook. On the site each stands once, as a file beside its page.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path

from gindex_lab.foundation.fingerprints import digest_of
from gindex_lab.foundation.output import write_text

__all__ = ["copy_reports"]

_INSIDE = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=]+)")
_FOLDERS = re.compile(r'<a href="figures/">figures</a>.*?<a href="tables/">tables</a> \(CSV\) ·\s*')


def copy_reports(written: Path, target: Path) -> None:
    """The pages, figures and tables of a run, without its state and without other folders of ours."""
    if not (written / "index.html").is_file():
        return

    def skipped(folder: str, names: list[str]) -> set[str]:
        top = {"site", "docs"} if Path(folder) == written else set()
        return {name for name in names if name[0] == "." or name in top or name.endswith(".svg")}

    shutil.copytree(written, target, ignore=skipped)
    for page in sorted(target.rglob("report.html")):
        files = {digest_of(file.read_bytes()): file for file in page.parent.glob("figures/*.png")}
        text = pictures_beside(page.read_text("utf-8"), {k: f.name for k, f in files.items()})
        # a web server shows no folders; the tables are linked where they stand
        text = _FOLDERS.sub("", text).replace(">executed notebook<", ">notebook, without results<")
        write_text(page, text)
    for notebook in sorted(target.rglob("notebook.ipynb")):
        write_text(notebook, without_results(notebook.read_text("utf-8")))


def pictures_beside(page: str, names: dict[str, str]) -> str:
    """A page whose pictures are links to the files of the folder `figures` with the same bytes.

    >>> names = {digest_of(b"bytes of a picture"): "a.png"}
    >>> inside = base64.b64encode(b"bytes of a picture").decode()
    >>> pictures_beside(f'<img src="data:image/png;base64,{inside}">', names)
    '<img src="figures/a.png">'
    """

    def beside(found: re.Match[str]) -> str:
        name = names.get(digest_of(base64.b64decode(found[1])))
        return found[0] if name is None else f"figures/{name}"

    return _INSIDE.sub(beside, page)


def without_results(notebook: str) -> str:
    """A notebook as its author wrote it.

    >>> without_results('{"cells": [{"cell_type": "code", "source": ["1"], "outputs": [1]}]}')
    '{"cells": [{"cell_type": "code", "source": ["1"], "outputs": [], "execution_count": null}]}'
    """
    content = json.loads(notebook)
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    return json.dumps(content, ensure_ascii=False)

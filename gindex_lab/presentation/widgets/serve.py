"""JupyterLab at the start page (`make lab`) and the demos as web pages (`make demo`), on this machine only.

Both servers listen on 127.0.0.1 and ask for a token, which the address that they print and open contains:
whoever can run code through a notebook can do all that you can. Neither is meant to be put on a network;
`make demo HOST=... STUDENTS=...` is, in a class (`classroom.py`).

>>> lab_command(Path("project"))[-1]
'--LabApp.default_url=/lab/tree/notebooks/start.ipynb'
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from gindex_lab.foundation.errors import BadInput, GIndexLabError
from gindex_lab.foundation.validate import choice

__all__ = ["demo_command", "environment", "lab_command", "main"]

_GUARDS = "gindex_lab.presentation.widgets.guards"
# the command line comes after every configuration file, so that none can take these back
_INSISTED = (
    f"--ServerApp.identity_provider_class={_GUARDS}.AlwaysToken",
    f"--ServerApp.kernel_manager_class={_GUARDS}.FewKernels",
    "--ServerApp.allow_remote_access=False",
    "--ServerApp.disable_check_xsrf=False",
    "--ServerApp.allow_origin=",
    "--ServerApp.allow_origin_pat=",
)
# options by which ARGS could do so; given twice, an option ends the server, so ours cannot simply come last
_OPENING = {"ip", "no-token", "token", "password", "allow_remote_access"}
_OPENING |= {"allow_origin", "allow_origin_pat", "allow_credentials", "disable_check_xsrf"}
_OPENING |= {"allow_unauthenticated_access", "identity_provider_class", "config", "hashed_password"}
_OPENING |= {"places", "growth", "together", "multi_kernel_manager_class", "preheat_kernel"}
_PAGES = (
    "--template=gindex_lab",
    "--VoilaConfiguration.classic_tree=True",
    "--MappingKernelManager.cull_idle_timeout=120",  # for pages that could not say that they were closed
    "--MappingKernelManager.cull_interval=30",
)
_SHARE = Path(__file__).resolve().parent / "share"  # holds our page template for Voilà


def lab_command(root: Path) -> list[str]:
    """JupyterLab on the whole project, so that the start page can also open reports and README."""
    return [
        *(sys.executable, "-m", "jupyterlab"),
        "--ServerApp.ip=127.0.0.1",
        *_INSISTED,
        "--ServerApp.contents_manager_class=gindex_lab.presentation.widgets.contents.CleanNotebooks",
        f"--ServerApp.root_dir={root.resolve()}",
        # versions are locked: nobody need ask a server elsewhere for newer ones
        # and no dialogue asks whether to fetch news (share/labconfig/page_config.json)
        "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate",
        "--LabApp.default_url=/lab/tree/notebooks/start.ipynb",
    ]


def demo_command(root: Path) -> list[str]:
    """Voilà on the teaching notebooks; a kernel ends two minutes after its page was closed.

    Voilà asks for a token only when told to (`--token`), unlike JupyterLab. Our template is Voilà's
    without the icon fonts that it fetches from elsewhere, and with a list of demos that says what they are.
    """
    return [
        *(sys.executable, "-m", "gindex_lab.presentation.widgets.guards"),
        str(root.resolve() / "notebooks" / "teaching"),
        "--Voila.ip=127.0.0.1",
        "--token",
        f"--Voila.identity_provider_class={_GUARDS}.AlwaysToken",
        f"--VoilaConfiguration.multi_kernel_manager_class={_GUARDS.replace('guards', 'pool')}.WarmKernels",
        *_PAGES,
    ]


def environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """The environment of a server: our templates and settings on Jupyter's paths, no headless back end."""
    kept = {name: value for name, value in inherited.items() if name != "MPLBACKEND"}
    ours = {"JUPYTER_PATH": _SHARE, "JUPYTER_CONFIG_PATH": _SHARE}
    return kept | {
        name: os.pathsep.join(filter(None, [str(place), kept.get(name)])) for name, place in ours.items()
    }


def main(arguments: Sequence[str]) -> None:
    """`python -m gindex_lab.presentation.widgets.serve lab` or `demo`; the rest is the server's.

    `demo --host=... --students=...` is classroom mode; both are needed, so that nobody opens it by accident.
    """
    what, *given = arguments or [""]
    of_class, rest = _class_options(given) if what == "demo" else ({}, given)
    commands = {"lab": lab_command, "demo": demo_command}
    root = Path.cwd()
    command = commands[choice("server", what, list(commands))](root)
    if not (root / "notebooks" / "teaching").is_dir():
        raise BadInput("folder", str(root), "[empty] has no notebooks", "run this in the project")
    for option in rest:
        name = option.lstrip("-").split("=")[0].split(".")[-1].lower()
        if option.startswith("-") and name in _OPENING:
            problem, remedy = "[not-allowed] would open the server to others", "leave it out"
            raise BadInput("ARGS", option, problem, remedy)
    if of_class:
        from gindex_lab.presentation.widgets import classroom

        os.environ.update(environment(os.environ))
        os.environ.pop("MPLBACKEND", None)
        # the same demos; where, for whom and how many, classroom adds itself
        command = [str(root.resolve() / "notebooks" / "teaching"), *_PAGES, *rest]
        classroom.run(command, of_class["HOST"], of_class["STUDENTS"])
        return
    os.execve(command[0], [*command, *rest], environment(os.environ))


def _class_options(given: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """HOST and STUDENTS, both or neither, and what remains.

    >>> _class_options(["--host=0.0.0.0", "--students=40", "--port=9000"])
    ({'HOST': '0.0.0.0', 'STUDENTS': '40'}, ['--port=9000'])
    """
    found: dict[str, str] = {}
    rest: list[str] = []
    for option in given:
        name, _, value = option.partition("=")
        if name in ("--host", "--students"):
            found |= {name[2:].upper(): value}
        else:
            rest.append(option)
    for name, other in (("HOST", "STUDENTS"), ("STUDENTS", "HOST")):
        if name in found and not found.get(other):
            example = "make demo HOST=192.168.1.20 STUDENTS=40"
            raise BadInput(other, None, "[missing] is needed for a class", f"say both: {example}")
    return found, rest


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except GIndexLabError as error:
        sys.exit(f"gindex_lab: {error}")

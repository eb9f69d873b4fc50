"""Where the example scenes and models are: in a checkout beside the package, in an installed package inside it.

Scenes name their models by ``../../models``, so both folders always lie side by side::

    checkout/                     site-packages/silhouette/examples/
        models/  *.glb *.toml         models/  *.glb *.toml
        scenes/  GAME/*.toml          scenes/  GAME/*.toml
        silhouette/
"""

from __future__ import annotations

from pathlib import Path

from silhouette.errors import RequestError

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder ``silhouette`` that this program runs from."""


def examples_folder() -> Path:
    """The folder in which the example ``scenes`` and ``models`` lie.

    Raises:
        RequestError: where there is none, as after an installation that left the package data out.

    >>> sorted(folder.name for folder in examples_folder().iterdir() if folder.name in ("models", "scenes"))
    ['models', 'scenes']
    """
    installed, checkout = PACKAGE / "examples", PACKAGE.parent
    if installed.is_dir():
        return installed
    # A checkout is known by its pyproject.toml: beside an installed package, "scenes" may be anybody's folder.
    if (checkout / "pyproject.toml").is_file() and (checkout / "scenes").is_dir():
        return checkout
    raise RequestError("the example scenes are not installed; install Silhouette again, or take them from its source")


def example(name: str) -> Path:
    """The path of an example file, such as ``scenes/ikosa/face_to_face.toml``.

    It is the name itself where the current folder holds the file, as that of a checkout does.

    Raises:
        RequestError: where the examples are not installed.

    >>> example("models/crate.toml").is_file()
    True
    """
    here = Path(name)
    return here if here.is_file() else examples_folder() / name

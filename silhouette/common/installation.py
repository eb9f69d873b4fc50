"""Versions, how this package is installed, and the command that adds to its environment what is missing in it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from importlib.metadata import Distribution

VERSION = "0.3.0"  # the version of this package: the one place where it stands; the build reads it from here

SCHEMA_VERSION = 1
"""The version of every JSON document that is printed or written: raised when a key changes its meaning, not when one is
added."""

DISTRIBUTION = "silhouette-los"
"""The name on the package index. ``silhouette`` there is another project; it is our import and our command alone."""

EXTRAS = {
    "parquet": "pyarrow",
    "mp4": "av",
    "cluster": "distributed",
    "cuda": "warp-lang",
    "usd": "usd-core",
    "mcp": "mcp",
}
"""What a command can need beyond the dependencies: the package behind each extra of pyproject.toml."""


def document(content: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON document that says what it is: the version of this package and of the schema, then its content.

    >>> list(document({"rules": []}))
    ['silhouette', 'schema', 'rules']
    """
    return {"silhouette": VERSION, "schema": SCHEMA_VERSION, **content}


def distribution(name: str) -> Distribution:
    """What an installer has written down about a package. ModuleNotFoundError if it is not installed."""
    from importlib import metadata  # it brings what reads e-mail, a tenth of the time that help takes

    return metadata.distribution(name)


def version_of(package: str) -> str | None:
    """The version of another package that is installed, or None where it is not.

    >>> version_of("no such package") is None
    True
    """
    try:
        return distribution(package).version
    except ModuleNotFoundError:
        return None


@dataclass(frozen=True)
class Environment:
    """The environment that the program runs in."""

    manager: str = "pip"  # what made it: "pip", "uv", "pipx", "uv tool" or "uvx"
    name: str = DISTRIBUTION  # the name of its folder, by which pipx knows it
    # Where this package came from: its name on the index, or the path of a wheel or a folder; empty where that is gone,
    # or is an address
    source: str = DISTRIBUTION
    editable: bool = False
    python: str = "python"

    @classmethod
    def current(cls) -> Environment:
        """The environment of this process."""
        prefix = Path(sys.prefix)
        source, editable = _source()
        return cls(_manager(prefix), prefix.name, source, editable, _python())

    def extra(self, extra: str) -> str:
        """The command that installs an extra: a key of `EXTRAS`.

        >>> Environment().extra("parquet")
        "python -m pip install 'silhouette-los[parquet]'"
        >>> Environment(source=".", editable=True, python=".venv/bin/python").extra("cluster")
        ".venv/bin/python -m pip install -e '.[cluster]'"
        >>> Environment("pipx").extra("parquet")
        'pipx inject silhouette-los pyarrow'
        >>> Environment("uv tool").extra("mp4")
        "uv tool install --force 'silhouette-los[mp4]'"
        >>> Environment("uvx").extra("mp4")
        "uvx --from 'silhouette-los[mp4]' silhouette"
        >>> Environment(source="").extra("mp4")
        'python -m pip install av'
        """
        if self.manager == "pipx" or not self.source:
            return self.package(EXTRAS[extra])
        spec = _quoted(f"{self.source}[{extra}]")
        if self.manager == "uvx":
            return f"uvx --from {spec} silhouette"
        spec = f"-e {spec}" if self.editable else spec
        return f"uv tool install --force {spec}" if self.manager == "uv tool" else f"{self._installer()} {spec}"

    def package(self, package: str) -> str:
        """The command that installs one package: a dependency that is missing.

        >>> Environment("pipx").package("embreex"), Environment("uv", python="python").package("embreex")
        ('pipx inject silhouette-los embreex', 'uv pip install --python python embreex')
        """
        return f"pipx inject {self.name} {package}" if self.manager == "pipx" else f"{self._installer()} {package}"

    def _installer(self) -> str:
        python = _quoted(self.python)
        return f"{python} -m pip install" if self.manager == "pip" else f"uv pip install --python {python}"


def extra_command(extra: str) -> str:
    """The command that installs an extra of this package where this program runs; a key of `EXTRAS`."""
    return Environment.current().extra(extra)


def package_command(package: str) -> str:
    """The command that installs another package where this program runs."""
    return Environment.current().package(package)


def _manager(prefix: Path) -> str:
    """What made the environment, by the files that pipx and uv leave in it."""
    if (prefix / "pipx_metadata.json").is_file():
        return "pipx"
    if (prefix / "uv-receipt.toml").is_file():
        return "uv tool"
    if find_spec("pip") is not None:
        return "pip"
    with_uv = (prefix / "pyvenv.cfg").is_file() and re.search(
        r"^uv *=", (prefix / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace"), flags=re.MULTILINE
    )
    if not with_uv:
        return "pip"
    return "uvx" if re.match(r"(archive|environments)-v\d", prefix.parent.name) else "uv"


def _source() -> tuple[str, bool]:
    """Where this package came from, as installers write it down (PEP 610), and whether it is editable.

    They write nothing down for what they took from an index by its name.
    """
    checkout = Path(__file__).resolve().parents[2]
    try:
        noted = distribution(DISTRIBUTION).read_text("direct_url.json")
    except ModuleNotFoundError:
        # Not installed, and running all the same: the checkout is on the path.
        return (_short(checkout), True) if (checkout / "pyproject.toml").is_file() else (DISTRIBUTION, False)
    origin = json.loads(noted) if noted else {}
    url = urlsplit(origin.get("url", ""))
    from urllib.request import url2pathname  # it brings the libraries of a whole web client

    place = Path(url2pathname(url.path))
    if url.scheme != "file" or not place.exists():
        return "" if noted else DISTRIBUTION, False
    return _short(place), bool(origin.get("dir_info", {}).get("editable"))


def _short(place: Path) -> str:
    """A path below the current folder as it is seen from there; pip takes a folder for a name without the dot."""
    try:
        inside = place.relative_to(Path.cwd())
    except (ValueError, OSError):
        return str(place)
    return "." if inside == Path() else f".{os.sep}{inside}"


def _python() -> str:
    """The interpreter: "python" where the shell finds this very one under that name, else its path."""
    python = shutil.which("python")
    if python is not None and os.path.normcase(os.path.abspath(python)) == os.path.normcase(sys.executable):
        return "python"
    return _short(Path(sys.executable)).removeprefix(f".{os.sep}") or "python"


def _quoted(word: str) -> str:
    """A word as the user's shell takes it."""
    if os.name == "nt":
        return f'"{word}"' if re.search(r"[\s\[\]]", word) else word
    return shlex.quote(word)

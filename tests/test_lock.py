"""The versions that the gate installs in the workflows: each is one that the package itself allows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from silhouette.common.installation import VERSION

ROOT = Path(__file__).resolve().parents[1]


def requirements(extra: str) -> list[Requirement]:
    """What an extra needs besides the package, those of extras that it names included."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    needed = []
    for line in extras[extra]:
        requirement = Requirement(line)
        own = requirement.name == "silhouette-los"
        needed += [each for inner in requirement.extras for each in requirements(inner)] if own else [requirement]
    return needed


def test_every_requirement_has_one_version_that_it_allows() -> None:
    lines = (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(re.fullmatch(r"(\S+)==(\S+)", line).groups() for line in lines if not line.startswith("#"))  # type: ignore[union-attr]
    versions = {canonicalize_name(name): version for name, version in pins.items()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [*map(Requirement, project["dependencies"]), *requirements("dev")]
    assert len(needed) > 30
    for requirement in needed:
        version = versions.get(canonicalize_name(requirement.name))
        assert version, f"{requirement} has no version; run .ci/lock"
        assert requirement.specifier.contains(version), f"{requirement} does not allow {version}; run .ci/lock"


def test_the_citation_is_of_the_version_that_the_changelog_ends_with() -> None:
    cited = dict(re.findall(r"^([\w-]+): (.+)$", (ROOT / ".github" / "CITATION.cff").read_text(encoding="utf-8"), re.M))
    newest = re.findall(
        r"^## \[(.+?)\] - (\S+)$", (ROOT / ".github" / "CHANGELOG.md").read_text(encoding="utf-8"), re.M
    )
    assert (cited["version"], cited["date-released"]) == newest[0]
    assert cited["version"] == VERSION

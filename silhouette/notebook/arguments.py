"""PYTHON: errors of the rooms above speak of the command line and of files; here they speak of arguments and scenes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from silhouette.common.arguments import in_arguments
from silhouette.common.errors import FileError, RequestError

BUILT_FOLDER = "silhouette-scene-"  # the beginning of the name of a folder in which a scene lies that Python built
BUILT_SCENE = "scene.toml"


def in_python(message: str) -> str:
    """A message in Python's terms: a scene that is in memory only has no path.

    >>> in_python("/tmp/silhouette-scene-1x_y/scene.toml: nothing is called 'Wex'"), in_python("gone.toml: is gone")
    ("the scene: nothing is called 'Wex'", 'gone.toml: is gone')
    """
    return in_arguments(re.sub(rf"\S*{BUILT_FOLDER}\w+.{BUILT_SCENE}", "the scene", message))


@contextmanager
def python_terms() -> Iterator[None]:
    """Errors of what is done inside speak of arguments; their types stay.

    >>> with python_terms():
    ...     raise RequestError("--within -1: give mm from where it stands, 0 or more")
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: within=-1: give mm from where it stands, 0 or more
    """
    try:
        yield
    except FileError as error:
        raise type(error)(in_python(error.path), in_python(error.problem)) from None
    except RequestError as error:
        raise RequestError(in_python(str(error))) from None

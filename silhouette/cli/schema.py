"""The command line, schemas: parsing and printing of ``silhouette schema``."""

from __future__ import annotations

from typing import Annotated

import typer

from silhouette.cli.completion import complete_schema
from silhouette.cli.options import ExitStatus
from silhouette.cli.terminal import show_json
from silhouette.errors import RequestError
from silhouette.text import did_you_mean


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="scene, model, game, results, scan or map.", autocompletion=complete_schema
        ),
    ],
) -> int:
    """Print the JSON Schema of scene, model and game files, or of what --json prints: results, a scan or a map.

    An editor that knows the schema completes keys and marks mistakes while you write.
    """
    from silhouette.cli.schemas import KINDS, schema_of

    if kind not in KINDS:
        raise RequestError(f"no schema of '{kind}'; {did_you_mean(kind, KINDS)}")
    show_json(schema_of(kind))
    return ExitStatus.OK

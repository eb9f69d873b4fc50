"""SCAN: the text of scene.toml, for people to read and edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.files.documents import toml, toml_lines
from silhouette.rules import FIRST
from silhouette.scans.keeping import SOURCE_RECORD, EarlierPiece, title_of
from silhouette.scans.questions import Question
from silhouette.scans.scanned import ScannedPiece, ScannedTable

WIDE = 44  # columns before a comment


def scene_text(table: ScannedTable, files: Mapping[str, Mapping[str, Any]], record: str) -> str:
    """The scene of a scanned table.

    Args:
        table: what was found.
        files: for each piece, by its name, the keys that say what its mesh is.
        record: the path from the scene of the file that tells what was found, for the next run.
    """
    earlier = table.earlier
    kept = earlier.matched([np.array(piece.at) for piece in table.pieces])
    blocks = [_head(table, record), _doubt(table)]
    blocks += [_table("question", answered) for answered in earlier.asked.values()]
    blocks += [_question(question) for question in table.questions if question.key not in earlier.asked]
    order = sorted(zip(table.pieces, kept, strict=True), key=lambda pair: pair[0].kind != "terrain")
    blocks += [_piece(piece, files[piece.name], before) for piece, before in order]
    checks = earlier.keys.get("check", ())
    blocks += [_table("check", check) for check in checks]
    if not checks:
        blocks.append(_first_check(table))
    return "\n\n".join(block for block in blocks if block) + "\n"


def _head(table: ScannedTable, record: str) -> str:
    """The keys of the scene."""
    keys = dict(table.earlier.keys)
    for below in ("check", "doubt"):
        keys.pop(below, None)
    scan = table.scan.path.name
    top = {"title": title_of(scan), "rules": FIRST} | keys
    top["source"] = {**top.get("source", {}), SOURCE_RECORD: record}
    lines = [
        f"# Made from {scan}. Names, gangs, facings, eyes, checks, answers and who has the benefit of doubt are",
        "# yours to edit, and are kept when the scan is made into a scene again; everything else is then found anew.",
        "# Lengths are mm, the origin is the middle of the table, and angles are degrees anticlockwise from x, seen",
        "# from above.",
    ]
    lines += toml_lines(top)
    if table.size is not None:
        lines.append(f"table = {toml([round(edge, 1) for edge in table.size])}")
    return "\n".join(lines)


def _doubt(table: ScannedTable) -> str:
    """The doubt of the scene: the largest of its pieces, which say their own where it is less, and what players say."""
    place = max((piece.place for piece in table.pieces if piece.kind != "terrain"), default=table.noise)
    surface = max((piece.surface for piece in table.pieces if piece.mesh is not None), default=table.noise)
    rows = [
        ("place", place, "mm, how far off each figure may stand: its own doubt comes first"),
        ("surface", surface, "mm, how far off the outline of a scanned piece may lie"),
    ]
    lines = [_line(f"{key} = {toml(round(value, 2))}", text) for key, value, text in rows]
    lines += toml_lines(table.earlier.keys.get("doubt", {}))
    return "\n".join(["[doubt]", *lines])


def _question(question: Question) -> str:
    """A question, with a place for the answer."""
    text = _table("question", question.keys())
    if not question.answers:
        return text
    return f"{text}\n# answer = {toml(question.answers[0])}  (taken; write yours, and run scan again)"


def _piece(piece: ScannedPiece, file: Mapping[str, Any], before: EarlierPiece | None) -> str:
    """A piece's table."""
    lines = [f"[[{piece.kind}]]", *_facts(piece), f"name = {toml(piece.name)}"]
    own = {} if before is None else before.keys_with(file)
    lines += toml_lines({**file, **own})
    lines.append(f"at = {toml([round(place, 2) + 0.0 for place in piece.at])}")
    lines.append(f"turn = {toml(round(piece.turn % 360.0, 2))}")
    if piece.kind != "terrain":
        if piece.facing is None:
            lines.append(_line('facing = "unknown"', "write where it looks: degrees anticlockwise from x"))
        else:
            lines.append(f"facing = {toml(round(piece.facing % 360.0, 2))}")
        doubt = {"place": round(piece.place, 2)}
        if piece.facing_doubt is not None:
            doubt["facing"] = round(piece.facing_doubt, 2)
        lines.append(f"doubt = {toml(doubt)}")
    return "\n".join(lines)


def _facts(piece: ScannedPiece) -> Iterator[str]:
    """Comments: what is known of the piece, and how."""
    if piece.on is not None:
        yield f"# stands on {piece.on}"
    match = piece.match
    if match is not None and match.sure:
        next_best = "" if match.runner_up is None else f"; the next best is off by {match.runner_up:.2f} mm"
        yield f"# {Path(match.known.path).name}, which fits to {match.residual:.2f} mm{next_best}"
    elif match is not None and piece.likeness:
        name, looks = Path(match.known.path).name, "" if piece.facing is None else "; it looks where that would"
        yield f"# as it was scanned; it may be {name}, which fits to {match.residual:.2f} mm{looks}"
    if piece.mesh is not None and piece.mesh.holes:
        across = f"{piece.mesh.largest:.0f} mm across"
        yield f"# holes that no camera saw into, now closed: {piece.mesh.holes}, up to {across}"
    if piece.mesh is not None and piece.mesh.open_area >= 1.0:
        yield f"# not seen, and left open: {piece.mesh.open_area:.0f} mm2"
    if piece.could_be_several:
        yield "# may be more than one piece"


def _first_check(table: ScannedTable) -> str:
    """A check to begin with, as a comment."""
    names = [piece.name for piece in table.pieces if piece.kind != "terrain"][:2]
    if len(names) < 2:
        return ""
    lines = ["# Who looks at whom; silhouette matrix judges everyone against everyone without.", "# [[check]]"]
    return "\n".join([*lines, f"# attacker = {toml(names[0])}", f"# target = {toml(names[1])}"])


def _table(name: str, keys: Mapping[str, Any]) -> str:
    return "\n".join([f"[[{name}]]", *toml_lines(keys)])


def _line(text: str, comment: str) -> str:
    return f"{text:{WIDE}}  # {comment}"

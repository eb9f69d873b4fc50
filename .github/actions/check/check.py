"""What the action does, with Python's own library alone: the silhouette of the Python that runs it judges.

    FOLDER=scenes OUT=found python check.py judge      # verdicts.jsonl, junit.xml, summary.md and pictures in OUT
    OUT=found STATUS=1 python check.py tell            # the summary on the page of the run; ends with the status

The status is that of ``silhouette batch``. Pages of runs show no pictures that a summary brings along, so that there
each is a link to the artifact; ``summary.md`` in the artifact shows them.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

MOST_DRAWN = 20  # checks that are drawn: those that are not as expected
MOST_LISTED = 200  # scenes, and sentences, that are listed
MOST_LETTERS = 500  # of a text of somebody's scene
MOST_SUMMARY_BYTES = 1_000_000  # that the page of a run takes

Row = dict[str, Any]


def judge(folder: str, out: Path, options: list[str]) -> int:
    """Judges the scenes of a folder; the exit status of the batch. Nothing of it ends this program."""
    out.mkdir(parents=True, exist_ok=True)
    table, junit = out / "verdicts.jsonl", out / "junit.xml"
    status = silhouette("batch", folder, "--expect", "--junit", str(junit), "--out", str(table), *options)
    lines = table.read_text(encoding="utf-8").split("\n") if table.is_file() else []
    rows = [json.loads(line) for line in lines if line]
    (out / "summary.md").write_text(summary(rows, status, pictures(rows, out)), encoding="utf-8")
    return status


def silhouette(*words: str) -> int:
    """The exit status of a command."""
    return subprocess.run([sys.executable, "-m", "silhouette", *words], check=False).returncode


def pictures(rows: list[Row], out: Path) -> dict[int, list[str]]:
    """The figures of each check that is not as expected, by the number of its row, as seen from ``out``."""
    drawn, numbers = dict[int, list[str]](), Counter[str]()
    for place, row in enumerate(rows):
        numbers[row["scene"]] += 1
        if row.get("expected") is False and len(drawn) < MOST_DRAWN:
            folder = out / "pictures" / f"{place:04d}"
            silhouette(
                *("draw", row["scene"], "--check", str(numbers[row["scene"]])),
                *("--format", "png", "--out", str(folder), "--quiet"),
            )
            drawn[place] = sorted(file.relative_to(out).as_posix() for file in folder.glob("*.png"))
    return drawn


# ---- the summary


def summary(rows: list[Row], status: int, drawn: dict[int, list[str]]) -> str:
    """The summary, in GitHub's Markdown."""
    unmet = [place for place, row in enumerate(rows) if row.get("expected") is False]
    failed = [row for row in rows if row.get("problem")]
    expected = sum(row.get("expected") is not None for row in rows)
    scenes = Counter(row["scene"] for row in rows)
    words = f"{len(rows)} checks in {len(scenes)} scenes; {expected} with an expectation"
    heading = {0: "Every expectation held", 1: "Not as expected", 2: "Not everything could be judged"}
    lines = [
        f"## {heading.get(status, f'Ended with status {status}')}",
        "",
        f"{words}, {len(unmet)} of them not as it says.",
    ]
    for place in unmet[:MOST_LISTED]:
        lines += ["", f"### {plain(rows[place]['scene'])}: {pair(rows[place])}", ""]
        lines += [f"- {plain(sentence)}" for sentence in rows[place].get("unmet") or ["not as expected"]]
        lines += ["", plain(rows[place].get("reason") or ""), ""]
        lines += [f"![{Path(name).stem}]({name})" for name in drawn.get(place, ())]
    if failed:
        lines += ["", "### Could not be judged", "", *(f"- {plain(row['problem'])}" for row in failed[:MOST_LISTED])]
    lines += ["", "### Verdicts", "", "| scene | checks | verdicts |", "|---|---|---|"]
    for scene, count in list(scenes.items())[:MOST_LISTED]:
        verdicts = Counter(row.get("verdict") or "none" for row in rows if row["scene"] == scene)
        often = ", ".join(f"{number} {word}" for word, number in verdicts.most_common())
        lines.append(f"| {plain(scene)} | {count} | {plain(often)} |")
    if len(scenes) > MOST_LISTED:
        lines.append(f"| and {len(scenes) - MOST_LISTED} more | | |")
    return "\n".join(lines) + "\n"


def pair(row: Row) -> str:
    """Who looks at whom."""
    return plain(" to ".join(str(row[key]) for key in ("attacker", "target") if row.get(key)) or "a check")


def plain(text: object) -> str:
    """A text that Markdown shows as it is, on one line: scenes are written by strangers."""
    line = " ".join(str(text).split())[:MOST_LETTERS]
    line = re.sub(r"([\\`*_{}\[\]<>()#+!|~@&$-])", lambda sign: f"&#{ord(sign[1])};", line)
    return line.replace("://", "&#58;//").replace("www.", "www&#46;")  # no link either


def on_page(text: str, artifact: str) -> str:
    """The summary for the page of a run: pictures are links to the artifact, or their names alone if there is none."""
    link = f"[\\1 (picture)]({artifact})" if artifact else r"\1 (picture)"
    text = re.sub(r"^!\[(.*?)\]\(.*?\)$", link, text, flags=re.MULTILINE)
    content = text.encode()
    return text if len(content) <= MOST_SUMMARY_BYTES else content[:MOST_SUMMARY_BYTES].decode(errors="ignore")


# ---- the steps


def append(variable: str, text: str) -> None:
    """Adds to a file that the runner has named, or prints where there is no runner."""
    if os.environ.get(variable):
        with Path(os.environ[variable]).open("a", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text)


def main(step: str) -> int:
    """Does a step, as the environment says."""
    out = Path(os.environ.get("OUT") or "silhouette-results")
    if step == "judge":
        status = judge(os.environ.get("FOLDER") or ".", out, shlex.split(os.environ.get("OPTIONS", "")))
        append("GITHUB_OUTPUT", f"folder={out}\nstatus={status}\n")
        return 0  # what was found is kept before the job ends with it
    if step == "tell":
        text = (out / "summary.md").read_text(encoding="utf-8")
        append("GITHUB_STEP_SUMMARY", on_page(text, os.environ.get("ARTIFACT", "")))
        return int(os.environ.get("STATUS") or 2)
    print(f"error: no step '{step}'; the steps are judge and tell", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))

"""What mkdocs is given: the pages of the repository where they stand, what they link to, and those made from the code.

A page has the path that it has in the repository, so that a link leads to the same place here as on GitHub, and
``mkdocs build --strict`` checks it. Where a part of a page is made from the code, the page has it here alone.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from pymdownx.slugs import slugify

import silhouette
from silhouette.cli.app import command_line
from silhouette.cli.commands import COMMANDS
from silhouette.cli.schema import SCHEMA_MAKERS, schema_of
from silhouette.common.text import json_text
from silhouette.notebook.answers import image
from silhouette.pages.html.page import element
from silhouette.pages.site.frame import SITE_PAGES
from silhouette.rules import BY_DATA, RULES, rule_called

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # where the package is installed, the tests are not
from tests.benchmarks.figures import Figures
from tests.benchmarks.page import FOLDER, sections_of
from tests.support import game_language, scene_keys
from tests.support.made_parts import whole

ROOT = Path(__file__).resolve().parents[2]
PARTS = {
    "scene keys": scene_keys.scene_keys,
    "example scenes": scene_keys.example_scenes,
    "model keys": scene_keys.model_keys,
    "game language": game_language.language,
    "game keys": game_language.keys,
    "benchmarks": lambda: sections_of(Figures.read(FOLDER)),
}
FOLDERS = (".github", "silhouette", "models", "scenes", "tests")
NOTEBOOK = ".github/docs/notebook.ipynb"
LEFT_OUT = ("pull_request_template.md",)
DOCTEST = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s#:]+)(?:#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The files of the manual, in place of those that mkdocs has found in its own folder."""
    pages = {page: whole(page.read_text(encoding="utf-8"), PARTS) for page in _pages()}
    linked = {
        target
        for page, text in pages.items()
        for link in LINK.findall(text)
        if (target := (page.parent / link).resolve()).is_file() and target.suffix != ".md"
    }
    given = [file for file in files if not file.is_documentation_page()]
    stored = [_placed(page, config, content=text) for page, text in pages.items()]
    stored += [_placed(path, config, abs_src_path=str(path)) for path in sorted({*linked, ROOT / NOTEBOOK})]
    return Files([*given, *stored, *_made(config)])


class Doctests(griffe.Extension):
    """Shows the examples of docstrings as code."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Puts fences round them before the docstring is parsed."""
        if obj.docstring:
            obj.docstring.value = DOCTEST.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)


def _pages() -> Iterator[Path]:
    yield ROOT / "README.md"
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.md")):
            if "node_modules" not in path.parts and path.name not in LEFT_OUT:
                yield path


def _placed(path: Path, config: MkDocsConfig, **content: str) -> File:
    """A file of the repository; in the site not in a folder whose name begins with a dot, which hosts leave out."""
    name = path.relative_to(ROOT).as_posix()
    file = File.generated(config, name, inclusion=InclusionLevel.INCLUDED, **content)
    file.dest_uri = file.dest_uri.removeprefix(".github/").removeprefix("docs/pages/")
    return file


def _made(config: MkDocsConfig) -> Iterator[File]:
    schemas = {kind: schema_of(kind) for kind in SCHEMA_MAKERS}
    made: dict[str, str | bytes] = {
        "reference/games.md": _games(),
        **_notebook(),
        "reference/options.md": _options(),
        "reference/schemas.md": _schemas(schemas),
        "reference/python.md": _python(),
        "reference/site.md": _site(config.extra["beside"]),
        **{f"reference/{kind}.schema.json": json_text(schema) for kind, schema in schemas.items()},
    }
    return (File.generated(config, name, content=text) for name, text in made.items())


def _games() -> str:
    """Every game: its verdicts, an example, its keys and, of a game by data, its specification."""
    lines = [
        "# The games",
        "",
        "[Scene files](../scenes/README.md#the-games) says what each asks, and how it is answered.",
        "",
    ]
    lines += ["| game | `rules` | verdicts | example | more |", "|---|---|---|---|---|"]
    for name, home in RULES.items():
        rule = rule_called(name)
        verdicts = ", ".join(f"{verdict} ({level})" for verdict, level in rule.levels.items())
        more = f"[keys and readings](../scenes/keys.md#{slugify(case='lower')(rule.title, '-')})"
        if home == BY_DATA:
            more += f", [specification](../silhouette/rules/data/{Path(rule.example).parent.name}.md)"
        lines.append(f"| {rule.title} | `{name}` | {verdicts} | [scene](../{rule.example}) | {more} |")
    return "\n".join([*lines, ""])


def _notebook() -> dict[str, str | bytes]:
    """The notebook beside this file as a page: its words, its code, and what that shows, run now; and its pictures."""
    texts, pictures, names = list[str](), dict[str, str | bytes](), dict[str, Any]()

    def stored(data: re.Match[str]) -> str:
        name = f"notebook-{len(pictures) + 1}.png"
        pictures[f"reference/{name}"] = b64decode(data[1])
        return f'src="{name}"'

    with chdir(ROOT):  # from where its first cell says that it is run
        for cell in json.loads((ROOT / NOTEBOOK).read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code":
                shown = re.sub(r'src="data:image/png;base64,([^"]+)"', stored, markup_of(last_value(source, names)))
                texts += [f"```python\n{source}\n```", shown]
            else:
                texts.append(source)
    page = "\n\n".join([*texts, f"[The notebook itself](../{NOTEBOOK})", ""])
    return {"reference/notebook.md": page, **pictures}


def last_value(source: str, names: dict[str, Any]) -> Any:
    """Runs a cell, and returns the value of the expression at its end, which a notebook shows."""
    tree = ast.parse(source)
    last = tree.body.pop()
    exec(compile(tree, "cell", "exec"), names)
    assert isinstance(last, ast.Expr), "a cell ends in what it shows"
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def markup_of(value: Any) -> str:
    """What a notebook shows of a value, as HTML in a line: its own, its picture, or its text."""
    if hasattr(value, "_repr_html_"):
        return str(value._repr_html_())
    if hasattr(value, "_repr_png_"):
        return str(image(value._repr_png_(), "a picture"))
    return str(element("pre", repr(value)))


def _options() -> str:
    """Every command with its arguments and options, as ``--help`` says them."""
    lines = ["# Every option", "", "[Commands](../.github/docs/pages/commands.md) has examples."]
    group = command_line(COMMANDS)
    for name in COMMANDS:
        command = group.commands[name]
        context: Any = command.context_class(command, info_name=f"silhouette {name}")
        usage = " ".join(command.collect_usage_pieces(context))
        lines += ["", f"## silhouette {name}", "", f"`silhouette {name} {usage}`", "", command.help or "", ""]
        records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
        lines += ["| option | meaning |", "|---|---|"]
        lines += [f"| `{option}` | {_cell(meaning)} |" for option, meaning in filter(None, records)]
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("[", "\\[").replace("<", "&lt;")


def _schemas(schemas: Mapping[str, Mapping[str, Any]]) -> str:
    """A line for each JSON Schema, which lies beside the page."""
    lines = [
        "# JSON Schemas",
        "",
        "Editors complete and check files by them. `silhouette schema NAME` prints the same.",
        "",
    ]
    lines += [f"- [{each['title']}]({kind}.schema.json): `silhouette schema {kind}`" for kind, each in schemas.items()]
    return "\n".join([*lines, ""])


def _python() -> str:
    """What the package exports, each from the module that has it."""
    lines = [
        "# Python",
        "",
        "What `import silhouette` has. [Commands](../.github/docs/pages/commands.md#python) has examples.",
    ]
    exported = {name: getattr(silhouette, name) for name in silhouette.__all__}
    for name in sorted(exported, key=lambda name: isinstance(exported[name], type)):  # functions first
        lines += ["", f"::: {exported[name].__module__}.{name}"]
    return "\n".join([*lines, ""])


def _site(beside: str) -> str:
    """What `silhouette site` makes, which is not made twice: links where the manual stands in it."""
    lines = [
        "# Tables, tutorial, gallery",
        "",
        "`silhouette site --out site` makes pages that judge in the browser: tables, also with your own meshes;",
        "the tutorial, which explains each game on its scenes; all games; and a gallery of models and figures.",
    ]
    if beside:
        lines += ["", *(f'- <a href="../{beside}/{path}">{title}</a>' for path, title in SITE_PAGES)]
    return "\n".join([*lines, ""])

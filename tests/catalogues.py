"""Brings the translations up to date with the phrases and compiles them: ``python -m tests.catalogues``.

    phrases, verdicts -> locale/LANGUAGE.po, for translators -> locale/LANGUAGE.mo, for the standard library

A phrase whose English was changed keeps its translation, marked as fuzzy, until somebody has looked at it; fuzzy ones
are not compiled. Translators need no more than a .po file and an editor for such files, such as Poedit.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from silhouette.drawing.words import words as shared
from silhouette.drawing.words.words import LANGUAGES, VERDICT_CONTEXT
from silhouette.judging import Judged
from silhouette.pages.report import page, sections
from silhouette.pages.report.words import PAGE_CONTEXT, VOCABULARY
from silhouette.pages.site import frame, games, own, tables
from silhouette.rules import RULES, rule_called
from silhouette.rules.base import Phrase

LINE = 120

OWN_TABLES = (own.OWN_TEXTS, own.OWN_TEXTS_ON_TABLE, own.OWN_PLAY_TEXTS, own.OWN_PLAY_TEXTS_ON_TABLE)

UNKNOWN = re.compile(
    rb'^"(Project-Id-Version|POT-Creation-Date|Generated-By|.*(YEAR-MO|FULL NAME|EMAIL@|LL@li)).*"\n', re.MULTILINE
)
"""Lines of a header that change every time, or that nobody has filled in."""


def sources() -> dict[Path, Catalog]:
    """All that is to be translated, by the folder of its translations."""
    phrases = {_folder(shared.__name__): shared.PHRASES}
    verdicts: dict[Path, list[str]] = {folder: [] for folder in phrases}
    for name in RULES:
        rule = rule_called(name)
        # Games by data have one folder together.
        folder = _folder(type(rule).__module__)
        phrases[folder] = rule.phrases
        known = verdicts.setdefault(folder, [])
        known += [verdict for verdict in rule.levels if verdict not in known]
    templates = {folder: _template(phrases[folder], tuple(verdicts[folder])) for folder in phrases}
    return {**templates, _folder(page.__name__): page_texts()}


def page_texts() -> Catalog:
    """What reports and sites say: sentences in their sources, their tables, and the fields of all results."""
    template = Catalog()
    for file in (file for module in (page, frame) for file in sorted(Path(module.__file__ or "").parent.glob("*.py"))):
        with file.open("rb") as stream:
            for _, message, _, _ in extract("python", stream, keywords={"phrase": None, "counted": (2, 3)}):
                _add(template, message, PAGE_CONTEXT)
    fields = [
        part
        for name in RULES
        for field in (*rule_called(name).verdict_type.fields, *Judged.fields, *rule_called(name).expectable)
        if field.is_detail
        for part in (field, *field.parts)
    ]
    viewer = [text for text in sections.VIEWER_TEXTS.values() if isinstance(text, str)]
    viewer += (text for part in ("parts", "play") for text in sections.VIEWER_TEXTS[part].values())
    legends = [text for _, text in (*sections.EYE_VIEW_LEGEND, *sections.LEGEND_PLAIN)]
    texts = (
        *sections.FIGURES.values(),
        *sections.MAP.values(),
        sections.STAGE_HELP,
        sections.STAGE_KEYS,
        *sections.key_texts(),
        sections.PLAY_HELP,
        *legends,
        *viewer,
        *(title for _, title in frame.SITE_PAGES),
        *(text for texts in OWN_TABLES for text in texts.values()),
        *(own.OWN_TITLE, own.OWN_LEAD, own.OWN_HELP, own.OWN_TAKE, own.OWN_ON_TABLE_TITLE, own.OWN_ON_TABLE_LEAD),
        *own.refusal_texts(),
        *(tables.QUESTION, tables.WELCOME, tables.EVERY_TABLE, *tables.OFFLINE_TEXTS.values()),
        *(games.GAMES_TEXT, games.CHECKS_TEXT, games.MODELS_TEXT),
    )
    for text in dict.fromkeys((*texts, *VOCABULARY, *(field.name for field in fields))):
        _add(template, text, PAGE_CONTEXT)
    return template


def _add(template: Catalog, phrase: Phrase, context: str) -> None:
    template.add(phrase, context=context, flags=["python-brace-format"] if "{" in str(phrase) else [])


def read(file: Path) -> Catalog:
    """The translations in a .po file; none where it is not there."""
    if not file.is_file():
        return Catalog(locale=file.stem, fuzzy=False)
    with file.open("rb") as stream:
        return read_po(stream, locale=file.stem)


def compiled(catalogue: Catalog) -> bytes:
    """A catalogue as `gettext` reads it."""
    stream = BytesIO()
    write_mo(stream, catalogue)
    return stream.getvalue()


def messages_in(binary: bytes) -> dict[object, str]:
    """The messages of a .mo file, without its header, in which the date and the release of babel stand."""
    messages: dict[object, str] = dict(vars(GNUTranslations(BytesIO(binary)))["_catalog"])
    messages.pop("", None)
    return messages


def bring_up_to_date() -> list[str]:
    """Writes every .po file that lacks a phrase or has one too many, and every .mo file; gives what is left to do."""
    left = []
    for folder, template in sources().items():
        folder.mkdir(exist_ok=True)
        for language in LANGUAGES[1:]:
            file = folder / f"{language}.po"
            catalogue = read(file)
            catalogue.update(template)
            catalogue.obsolete.clear()
            stream = BytesIO()
            write_po(stream, catalogue, width=LINE)
            file.write_bytes(UNKNOWN.sub(b"", stream.getvalue()).rstrip() + b"\n")
            binary, fresh = file.with_suffix(".mo"), compiled(catalogue)
            if not binary.is_file() or messages_in(binary.read_bytes()) != messages_in(fresh):
                binary.write_bytes(fresh)
            left += [
                f"{file.parent.parent.name}/{file.parent.name}/{file.name}: '{message.context}' is "
                + ("fuzzy" if message.fuzzy else "not translated")
                for message in catalogue
                if message.id and (message.fuzzy or not _is_translated(message.string))
            ]
    return left


def _template(phrases: Mapping[str, Phrase], verdicts: tuple[str, ...]) -> Catalog:
    """What is to be translated: verdicts, and phrases in their order; the name of each is its context."""
    template = Catalog()
    for verdict in verdicts:
        template.add(verdict, context=VERDICT_CONTEXT)
    for name, phrase in phrases.items():
        _add(template, phrase, name)
    return template


def _folder(module: str) -> Path:
    return Path(sys.modules[module].__file__ or "").parent / "locale"


def _is_translated(words: str | tuple[str, ...]) -> bool:
    return bool(words) and all(words)


if __name__ == "__main__":
    for line in bring_up_to_date():
        print(line)

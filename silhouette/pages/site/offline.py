"""TELL: the site as an application that opens without a network: its manifest, its icons, its service worker."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import PIL.PngImagePlugin  # noqa: F401 - else Pillow imports all of its formats to find this one
from PIL import Image, ImageDraw

from silhouette.common.text import json_text
from silhouette.drawing.styles import LEVEL_COLOURS, LIGHT_COLOUR, hexadecimal
from silhouette.files.publishing import files_in
from silhouette.pages.html.page import asset
from silhouette.pages.site.frame import SITE_INDEX, SITE_NAME
from silhouette.rules.base import Level

ICON_SIZES = (192, 512)  # pixels: those that browsers ask for
ICON_MARGIN_SHARE = 0.22  # of an icon: what lies farther in is shown by every system, however round it cuts
ICON_SUPERSAMPLING = 4

WORKER_FILE = "worker.js"

PICTURE_ENDINGS = (".svg", ".png", ".webp", ".gif")
ALWAYS_FETCHED = ("icon-",)  # the names of pictures that are needed from the beginning start so

VERSION_DIGITS = 16


def icon(size: int) -> bytes:
    """The icon of the site, a PNG ``size`` pixels wide: a target, half of it obscured.

    >>> Image.open(BytesIO(icon(48))).size
    (48, 48)
    """
    wide = size * ICON_SUPERSAMPLING
    picture = Image.new("RGB", (wide, wide), LIGHT_COLOUR)
    drawing = ImageDraw.Draw(picture)
    low, high = ICON_MARGIN_SHARE * wide, (1.0 - ICON_MARGIN_SHARE) * wide
    drawing.pieslice((low, low, high, high), 90, 270, fill=LEVEL_COLOURS[Level.FULL])
    drawing.pieslice((low, low, high, high), 270, 450, fill=LEVEL_COLOURS[Level.CLEAR])
    drawing.ellipse((low, low, high, high), outline=LEVEL_COLOURS[Level.BLOCKED], width=wide // 32)
    stream = BytesIO()
    picture.resize((size, size), Image.Resampling.LANCZOS).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def manifest() -> str:
    """The web application's manifest."""
    icons = [
        {"src": f"icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
        for size in ICON_SIZES
        for purpose in ("any", "maskable")
    ]
    ground = hexadecimal(LIGHT_COLOUR)
    content = {
        "name": f"{SITE_NAME}: line of sight and cover",
        "short_name": SITE_NAME,
        "start_url": SITE_INDEX,
        "scope": ".",
        "display": "standalone",
        "background_color": ground,
        "theme_color": ground,
        "icons": icons,
    }
    return json_text(content, indent=1) + "\n"


def service_worker(folder: Path) -> str:
    """The script by which browsers keep the files of a folder: all but pictures at the first visit, these as they are
    seen, or when its reader asks for them.
    """
    names = [name for name in files_in(folder) if not name.endswith(".json")]
    later = [name for name in names if is_picture(name)]
    size = sum((folder / name).stat().st_size for name in later)
    facts = {"version": _version(folder, names), "first": sorted({*names} - {*later}), "later": later, "bytes": size}
    return f"const SITE = {json_text(facts)};\n{asset('worker.js')}"


def is_picture(name: str) -> bool:
    """Whether a file of the site is a picture that is only fetched when it is seen.

    >>> is_picture("tutorial/figures/plan.svg"), is_picture("icon-192.png"), is_picture("index.html")
    (True, False, False)
    """
    return name.endswith(PICTURE_ENDINGS) and not name.startswith(ALWAYS_FETCHED)


def _version(folder: Path, names: Iterable[str]) -> str:
    """A digest of the files: another version of the site has another one."""
    digest = hashlib.blake2b(digest_size=VERSION_DIGITS // 2)
    for name in names:
        content = (folder / name).read_bytes()
        digest.update(f"{len(content)} {name}\n".encode() + content)
    return digest.hexdigest()

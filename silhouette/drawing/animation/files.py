"""DRAW: frames become a GIF or an MP4, with the results of all frames in the comment of the file.

All frames of a GIF share one palette, chosen once from all of them, so that no colour flickers.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from PIL import Image

from silhouette.common.installation import extra_command
from silhouette.errors import FileError, RequestError
from silhouette.files.writing import check_place, write_file
from silhouette.text import Progress, json_text

FORMATS = (".gif", ".mp4")

COLOURS = 255
"""The colours of the palette: a GIF may have 256, of which one stands for pixels that do not change."""

SAMPLED = 20
"""The most frames from which the palette is chosen."""

EVERY = 4
"""Of these frames, every fourth pixel of every fourth row is looked at: some 600,000 pixels, more than are needed."""

HOLD_FIRST, HOLD_LAST = 0.5, 1.5
"""The seconds for which the first and the last frame stay."""


class Frames(Protocol):
    """Pictures of one size."""

    size: tuple[int, int]

    def __len__(self) -> int:
        """The number of frames."""
        ...

    def frame(self, number: int) -> Image.Image:
        """A frame by its number, RGB."""
        ...


def check_path(path: Path) -> None:
    """Checks, before anything is judged, that an animation can be written.

    Raises:
        FileError: where the ending is neither .gif nor .mp4, or the folder is not there.
        RequestError: where the file is an MP4 and PyAV is not installed; it names the extra.

    >>> check_path(Path("duel.avi"))
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: duel.avi: animations are GIF or MP4; give a name that ends in .gif or .mp4
    """
    if path.suffix.lower() not in FORMATS:
        raise FileError(path, "animations are GIF or MP4; give a name that ends in .gif or .mp4")
    check_place(path)
    if path.suffix.lower() == ".mp4":
        try:
            import av  # noqa: F401
        except ImportError:
            raise RequestError(
                "MP4 needs PyAV, which is not installed; "
                f"end the name in .gif, or install it with: {extra_command('mp4')}"
            ) from None


def write_animation(frames: Frames, path: Path, fps: float, data: Mapping[str, Any], progress: Progress) -> None:
    """Writes the frames as a GIF or an MP4, by the ending of the path.

    Args:
        frames: two or more.
        path: the path of the file; an earlier file of that name is replaced when all is drawn.
        fps: frames a second.
        data: the results, kept as JSON in the comment of the GIF or of the MP4's metadata.
        progress: called with the number of frames that are written, and the number of all frames.

    Raises:
        FileError: where it cannot be written; a file of that name then stays as it was.
    """
    write = _gif if path.suffix.lower() == ".gif" else _mp4
    write_file(path, write(frames, fps, json_text(data, separators=(",", ":")), progress))


def _gif(frames: Frames, fps: float, comment: str, progress: Progress) -> bytes:
    palette, known = _palette(frames)
    drawn = []
    for number in range(len(frames)):
        progress(number, len(frames))
        frame = known.pop(number) if number in known else frames.frame(number)
        drawn.append(frame.quantize(palette=palette, dither=Image.Dither.NONE))
    durations = [max(round(100 / fps), 2) * 10] * len(drawn)
    durations[0], durations[-1] = durations[0] + round(1000 * HOLD_FIRST), durations[-1] + round(1000 * HOLD_LAST)
    stream = BytesIO()
    drawn[0].save(
        stream,
        format="GIF",
        save_all=True,
        append_images=drawn[1:],
        duration=durations,
        loop=0,
        optimize=False,
        disposal=1,
        comment=comment.encode("ascii"),
    )
    return stream.getvalue()


def _palette(frames: Frames) -> tuple[Image.Image, dict[int, Image.Image]]:
    """An image whose palette serves all frames, and the frames from which it was chosen, by their numbers."""
    count = min(len(frames), SAMPLED)
    width, height = (length // EVERY for length in frames.size)
    sheet = Image.new("RGB", (width, height * count))
    known = {}
    for place in range(count):
        number = place * (len(frames) - 1) // max(count - 1, 1)
        known[number] = frames.frame(number)
        sheet.paste(known[number].resize((width, height), Image.Resampling.NEAREST), (0, place * height))
    return sheet.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, kmeans=2), known


def _mp4(frames: Frames, fps: float, comment: str, progress: Progress) -> bytes:
    import av

    stream = BytesIO()
    rate = Fraction(fps).limit_denominator(1000)
    with av.open(stream, "w", format="mp4", options={"movflags": "use_metadata_tags"}) as container:
        container.metadata["comment"] = comment
        video = container.add_stream("libx264", rate=rate, options={"crf": "20", "preset": "medium"})
        video.width, video.height = frames.size
        video.pix_fmt = "yuv420p"
        for number in range(len(frames)):
            progress(number, len(frames))
            picture = av.VideoFrame.from_ndarray(np.asarray(frames.frame(number)), format="rgb24")
            hold = HOLD_FIRST if number == 0 else HOLD_LAST if number == len(frames) - 1 else 0.0
            for _ in range(1 + round(hold * fps)):
                for packet in video.encode(picture):
                    container.mux(packet)
        for packet in video.encode():
            container.mux(packet)
    return stream.getvalue()

"""A process that holds the device of the renderer ``cuda``, for tests."""

from __future__ import annotations

import multiprocessing
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from silhouette.measure.on_device.serving import serve
from silhouette.renderers.cuda.served import ServedRenderer
from tests.conftest import cuda_device


@contextmanager
def served(clients: int) -> Iterator[ServedRenderer]:
    """A renderer whose device, `cuda_device`, another process holds, for so many processes that ask."""
    key = secrets.token_bytes(16)
    with TemporaryDirectory() as folder:
        address = str(Path(folder, "device"))
        given = address, key, cuda_device(), clients
        process = multiprocessing.get_context("spawn").Process(target=serve, args=given, daemon=True)
        process.start()
        try:
            yield ServedRenderer(address, key)
        finally:
            process.kill()
            process.join()

"""Command line: `python -m models.source [NAME...] [--into FOLDER]` sculpts pieces and writes their meshes."""

import argparse
import time
from pathlib import Path

from models.source.catalogue import pieces, sculptor
from models.source.writing import count_triangles, glb


def main() -> None:
    """Sculpts the pieces named (default: all), and prints one line each: triangles, bytes, seconds."""
    parser = argparse.ArgumentParser(prog="python -m models.source", description="Sculpt the project's models.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="the pieces to sculpt (default: all)")
    parser.add_argument("--into", type=Path, default=Path(__file__).parents[1], metavar="FOLDER", help="where to write")
    arguments = parser.parse_args()
    known = pieces()
    if unknown := [name for name in arguments.names if name not in known]:
        parser.error(f"no piece is called {', '.join(unknown)}; there are: {', '.join(known)}")
    arguments.into.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or known:
        started = time.perf_counter()
        sculpture = sculptor(name)()
        data = glb(sculpture)
        (arguments.into / f"{name}.glb").write_bytes(data)
        seconds = time.perf_counter() - started
        print(f"{name:20} {count_triangles(sculpture):7,} triangles {len(data):9,} bytes {seconds:6.1f} s", flush=True)


if __name__ == "__main__":
    main()

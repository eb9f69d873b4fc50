"""``python -m silhouette``: the same as the command ``silhouette``."""

from __future__ import annotations

import sys

from silhouette.cli import main

if __name__ == "__main__":
    sys.exit(main())

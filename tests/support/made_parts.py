"""Parts of pages that are made from the code, which only the manual has: on GitHub a few words say where they stand.

<!-- made: scene keys -->
What stands here on GitHub.
<!-- /made -->
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

PART = re.compile(r"<!-- made: ([a-z ]+) -->\n(.*?)<!-- /made -->\n", re.DOTALL)
"""The name of a part, and what stands in its place."""


def whole(page: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """The text of a page with its parts, each made by the function of its name.

    >>> whole("A sum:\\n<!-- made: sum -->\\nLook it up.\\n<!-- /made -->\\n", {"sum": lambda: str(1 + 1)})
    'A sum:\\n2\\n'
    """
    return PART.sub(lambda part: parts[part[1]]() + "\n", page)

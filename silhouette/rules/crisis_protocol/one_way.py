"""TELL, for Crisis Protocol: why one character sees another that does not see it."""

from __future__ import annotations

from silhouette.rules.crisis_protocol.results import CrisisProtocolVerdict
from silhouette.rules.crisis_protocol.scene import PlanScene
from silhouette.text import in_a_sentence


def one_way(scene: PlanScene, seeing: CrisisProtocolVerdict, blind: CrisisProtocolVerdict) -> str:
    """The sentence: terrain blocks one way alone by the size of the target (R4, R6), or by who stands on it (R7).

    Args:
        scene: of both checks.
        seeing: the verdict of the one that sees.
        blind: the verdict of the other one, on the way back.
    """
    seer, seen = seeing.attacker, seeing.target
    sizes = dict(zip(scene.names, scene.sizes.tolist(), strict=True))
    own = scene.character(seer).on
    below = scene.character(seen).on
    reasons = []
    for name in blind.in_the_way[:2]:
        words = in_a_sentence(name)
        if name == own:
            reasons.append(f"{seer} stands on {words}, which is in {seen}'s way and never in its own (R7)")
        else:
            on = f" on {in_a_sentence(below)}" if below is not None else ""
            reasons.append(
                f"{words} (size {sizes[name]}) is larger than {seer}, who counts as size {blind.target_size}, and not "
                f"than {seen}, who{on} counts as size {seeing.target_size}"
            )
    return f"{seer} sees {seen}, but not the other way round: {'; '.join(reasons)}"

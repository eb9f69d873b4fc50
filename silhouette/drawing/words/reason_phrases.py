"""DRAW: the table of words of a verdict's reason: for each what English, German, French and Spanish say, in this order.

English figures print the sentence of the rules, which tells more; the English here is what the others were made from.
"""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, tuple[str, str, str, str]] = {
    "why out of arc": (
        "No part of {target} lies in the vision arc.",
        "Kein Teil von {target} liegt im Sichtbereich.",
        "Aucune partie de {target} n'est dans l'arc de vision.",
        "Ninguna parte de {target} está en el arco de visión.",
    ),
    "why nothing": (
        "Nothing obscures {target}.",
        "Nichts verdeckt {target}.",
        "Rien ne masque {target}.",
        "Nada oculta a {target}.",
    ),
    "why some": (
        "{share} of {target} is obscured: {by}.",
        "{share} von {target} verdeckt: {by}.",
        "{share} de {target} masqué : {by}.",
        "{share} de {target} oculto: {by}.",
    ),
    "why all": (
        "Nothing of {target} is seen: {by}.",
        "Von {target} ist nichts zu sehen: {by}.",
        "On ne voit rien de {target} : {by}.",
        "No se ve nada de {target}: {by}.",
    ),
    "why no free line": (
        "{attacker} does not see {target}; in the way: {by}.",
        "{attacker} sieht {target} nicht; im Weg: {by}.",
        "{attacker} ne voit pas {target} ; font obstacle : {by}.",
        "{attacker} no ve {target}; se interpone: {by}.",
    ),
    "why cover": (
        "{attacker} sees {target}; cover from: {by}.",
        "{attacker} sieht {target}; Deckung durch: {by}.",
        "{attacker} voit {target} ; à couvert grâce à : {by}.",
        "{attacker} ve {target}; cobertura de: {by}.",
    ),
    "why granted": (
        "{attacker} sees {target}; cover by a card.",
        "{attacker} sieht {target}; Deckung durch eine Karte.",
        "{attacker} voit {target} ; couvert par une carte.",
        "{attacker} ve {target}; cobertura por una carta.",
    ),
    "why a free line": (
        "{attacker} sees {target}; nothing gives cover.",
        "{attacker} sieht {target}; nichts gibt Deckung.",
        "{attacker} voit {target} ; rien ne donne de couvert.",
        "{attacker} ve {target}; nada da cobertura.",
    ),
    "why seen": (
        "{attacker} sees {target}.",
        "{attacker} sieht {target}.",
        "{attacker} voit {target}.",
        "{attacker} ve {target}.",
    ),
    "why lines": (
        "Of {lines} lines from {attacker} to {target}, {blocked} pass through terrain.",
        "Von {lines} Linien von {attacker} zu {target} gehen {blocked} durch Gelände.",
        "Lignes de {attacker} à {target} : {lines}, dont {blocked} à travers le décor.",
        "Líneas de {attacker} a {target}: {lines}; por el terreno pasan {blocked}.",
    ),
    "why one cell": (
        "{attacker} and {target} share a cell.",
        "{attacker} und {target} sind in derselben Zelle.",
        "{attacker} et {target} sont dans la même cellule.",
        "{attacker} y {target} comparten celda.",
    ),
    "why no face": (
        "No face of {target} is exposed to {attacker}, so no lines are drawn.",
        "Keine Seite von {target} ist {attacker} zugewandt, also werden keine Linien gezogen.",
        "Aucune face de {target} n'est exposée à {attacker} : aucune ligne n'est tracée.",
        "Ninguna cara de {target} está expuesta a {attacker}: no se traza ninguna línea.",
    ),
    "why gravity": (
        "{why} The gravity face is left out.",
        "{why} Die Seite der Schwerkraft ist ausgelassen.",
        "{why} La face de la gravité est exclue.",
        "{why} La cara de la gravedad queda excluida.",
    ),
    "why same_hex": (
        "{attacker} and {target} share a hex.",
        "{attacker} und {target} sind im selben Feld.",
        "{attacker} et {target} sont dans le même hexagone.",
        "{attacker} y {target} comparten hexágono.",
    ),
    "why adjacent": (
        "Adjacent units always see each other.",
        "Benachbarte Einheiten sehen sich immer.",
        "Les unités adjacentes se voient toujours.",
        "Las unidades adyacentes siempre se ven.",
    ),
    "why clear": (
        "{attacker} sees {target}; nothing blocks the line.",
        "{attacker} sieht {target}; nichts blockiert die Linie.",
        "{attacker} voit {target} ; rien ne bloque la ligne.",
        "{attacker} ve {target}; nada bloquea la línea.",
    ),
    "why one side clear": (
        "The line runs along edges of hexes; shifted to one side, nothing blocks it.",
        "Die Linie läuft auf Feldkanten; zu einer Seite verschoben blockiert sie nichts.",
        "La ligne suit des arêtes d'hexagones ; décalée d'un côté, rien ne la bloque.",
        "La línea sigue bordes de hexágonos; desplazada a un lado, nada la bloquea.",
    ),
    "why both_sides_blocked": (
        "The line runs along edges of hexes; shifted to either side, it is blocked.",
        "Die Linie läuft auf Feldkanten; zu beiden Seiten verschoben ist sie blockiert.",
        "La ligne suit des arêtes d'hexagones ; décalée de chaque côté, elle est bloquée.",
        "La línea sigue bordes de hexágonos; desplazada a cada lado, queda bloqueada.",
    ),
    "why blocking_terrain": (
        "{attacker} does not see {target}; the terrain at {at} blocks the line.",
        "{attacker} sieht {target} nicht; das Gelände bei {at} blockiert die Linie.",
        "{attacker} ne voit pas {target} ; le terrain en {at} bloque la ligne.",
        "{attacker} no ve {target}; el terreno en {at} bloquea la línea.",
    ),
    "why higher_elevation": (
        "{attacker} does not see {target}; the hill at {at} is higher than both.",
        "{attacker} sieht {target} nicht; der Hügel bei {at} ist höher als beide.",
        "{attacker} ne voit pas {target} ; la colline en {at} les dépasse tous deux.",
        "{attacker} no ve {target}; la colina en {at} es más alta que ambos.",
    ),
    "why plateau": (
        "{attacker} does not see {target}; the line crosses the plateau at {at}.",
        "{attacker} sieht {target} nicht; die Linie quert das Plateau bei {at}.",
        "{attacker} ne voit pas {target} ; la ligne traverse le plateau en {at}.",
        "{attacker} no ve {target}; la línea cruza la meseta en {at}.",
    ),
    "why blind_hex": (
        "{target} is in a blind hex behind {at}.",
        "{target} ist in einem blinden Feld hinter {at}.",
        "{target} est dans un hexagone aveugle derrière {at}.",
        "{target} está en un hexágono ciego detrás de {at}.",
    ),
}
"""By what decided; for Tide of Iron the name of its cause."""

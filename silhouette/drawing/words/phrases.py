"""DRAW: the table of words of figures: for each what English, German, French and Spanish say, in this order."""

from __future__ import annotations

from collections.abc import Mapping

from silhouette.drawing.words.reason_phrases import REASONS

Phrases = tuple[str, str, str, str]

_SHARED: Mapping[str, Phrases] = {
    "title": (
        "{attacker} → {target}: {verdict}",
        "{attacker} → {target}: {verdict}",
        "{attacker} → {target} : {verdict}",
        "{attacker} → {target}: {verdict}",
    ),
    "marginal": (
        "{title}, too close to call",
        "{title}, zu knapp (too close to call)",
        "{title}, trop serré (too close to call)",
        "{title}, demasiado justo (too close to call)",
    ),
    "modifier": (
        "{title}, {modifier} to hit",
        "{title}, {modifier} auf Treffer",
        "{title}, {modifier} pour toucher",
        "{title}, {modifier} para impactar",
    ),
    "no share": ("nothing", "nichts", "rien", "nada"),
    "under": ("under {share}", "unter {share}", "moins de {share}", "menos de {share}"),
    "about": ("about {share}", "etwa {share}", "environ {share}", "cerca de {share}"),
    "over": ("over {share}", "über {share}", "plus de {share}", "más de {share}"),
    "note": ("Note: {warning}.", "Hinweis: {warning}.", "Remarque : {warning}.", "Nota: {warning}."),
}
"""Of all figures."""

_TABLES: Mapping[str, Phrases] = {
    "share": ("{share} obscured", "{share} verdeckt", "{share} masqué", "{share} oculto"),
    "blocker": ("{name} {share}",) * 4,
    "seen": ("seen", "gesehen", "vu", "visto"),
    "obscured": ("obscured", "verdeckt", "masqué", "oculto"),
    "partly": (
        "partly obscured in that direction",
        "in dieser Richtung teils verdeckt",
        "masqué en partie dans cette direction",
        "oculto en parte en esa dirección",
    ),
    "wholly": (
        "wholly obscured in that direction",
        "in dieser Richtung ganz verdeckt",
        "tout masqué dans cette direction",
        "oculto del todo en esa dirección",
    ),
    "in the way": ("in the way", "im Weg", "fait obstacle", "se interpone"),
    "disregarded": ("disregarded", "bleibt außer Acht", "non pris en compte", "no se tiene en cuenta"),
    "ignored": (
        "not counted: base and insignificant parts",
        "zählt nicht: Base und unwesentliche Teile",
        "ne compte pas : socle et parties négligeables",
        "no cuenta: peana y partes insignificantes",
    ),
    "outside": (
        "target outside the vision arc",
        "Ziel außerhalb des Sichtbereichs",
        "cible hors de l'arc de vision",
        "objetivo fuera del arco de visión",
    ),
    "arc": ("vision arc", "Sichtbereich (vision arc)", "arc de vision", "arco de visión"),
    "cut": (
        "cut along the line of sight",
        "Schnitt entlang der Sichtlinie",
        "coupe le long de la ligne de vue",
        "corte a lo largo de la línea de visión",
    ),
    "ray": ("limiting ray", "Grenzstrahl", "rayon limite", "rayo límite"),
    "eye given": ("as given", "angegeben", "indiqué", "indicado"),
    "eye estimated": ("estimated", "geschätzt", "estimé", "estimado"),
    "measured": (
        "{share}: {part} of {whole} pixels of {pixel} mm, each sampled with {renderer}; eye {eye}.",
        "{share}: {part} von {whole} Pixeln zu {pixel} mm, jedes geprüft mit {renderer}; Auge {eye}.",
        "{share} : {part} pixels sur {whole} de {pixel} mm, chacun testé avec {renderer} ; œil {eye}.",
        "{share}: {part} de {whole} píxeles de {pixel} mm, cada uno probado con {renderer}; ojo {eye}.",
    ),
    "plan": (
        "Seen from above, turned so that the line of sight runs to the right.",
        "Von oben, so gedreht, dass die Sichtlinie nach rechts läuft.",
        "Vu d'en haut, tourné de sorte que la ligne de vue aille vers la droite.",
        "Visto desde arriba, girado para que la línea de visión vaya a la derecha.",
    ),
    "side": (
        "Seen from the side, along the line of sight; heights to the same scale.",
        "Von der Seite, entlang der Sichtlinie; Höhen im selben Maßstab.",
        "Vu de côté, le long de la ligne de vue ; hauteurs à la même échelle.",
        "Visto de lado, a lo largo de la línea de visión; alturas a la misma escala.",
    ),
    "inches": ('{number}"',) * 4,
    "centimetres": ("{number} cm",) * 4,
    "ahead": (
        "{target} reaches round the eye: the picture shows only the 90° ahead.",
        "{target} reicht um das Auge herum: das Bild zeigt nur die 90° voraus.",
        "{target} entoure l'œil : l'image ne montre que les 90° vers l'avant.",
        "{target} rodea el ojo: la imagen solo muestra los 90° al frente.",
    ),
    "between pixels": (
        "The verdict rests on rays between these pixels: too fine to be drawn.",
        "Das Urteil beruht auf Strahlen zwischen diesen Pixeln: zu fein zum Zeichnen.",
        "Le verdict repose sur des rayons entre ces pixels : trop fins pour être dessinés.",
        "El veredicto se basa en rayos entre estos píxeles: demasiado finos para dibujarlos.",
    ),
    "bands": (
        "Heights at {target} at which the class of cover changes.",
        "Höhen bei {target}, an denen die Klasse der Deckung wechselt.",
        "Hauteurs, près de {target}, où change la classe de couvert.",
        "Alturas, junto a {target}, en que cambia la clase de cobertura.",
    ),
    "band none": ("none", "keine", "aucun", "ninguna"),
    "band very low": ("very low", "sehr niedrig", "très bas", "muy baja"),
    "band low": ("low", "niedrig", "bas", "baja"),
    "band high": ("high", "hoch", "haut", "alta"),
    "band corner": ("corner", "Ecke", "angle", "esquina"),
}
"""Of looks on a table: eye view, plan and side view."""

_EVIDENCE: Mapping[str, Phrases] = {
    "of what lies in the arc": (
        " of what lies in the arc",
        " dessen, was im Sichtbereich liegt,",
        " de ce qui est dans l'arc",
        " de lo que está en el arco",
    ),
    "more": ("{count} more", "{count} weitere", "{count} autres", "{count} más"),
    "measured with": (
        "measured with {renderer}, {pixel} mm per pixel",
        "gemessen mit {renderer}, {pixel} mm je Pixel",
        "mesuré avec {renderer}, {pixel} mm par pixel",
        "medido con {renderer}, {pixel} mm por píxel",
    ),
    "drawn with": (
        "drawn with {renderer}",
        "gezeichnet mit {renderer}",
        "dessiné avec {renderer}",
        "dibujado con {renderer}",
    ),
    "the eye": ("eye {eye}", "Auge {eye}", "œil {eye}", "ojo {eye}"),
    "an inch apart": (
        "lines on the ground one inch apart",
        "Linien am Boden je ein Zoll",
        "lignes au sol tous les pouces",
        "líneas del suelo cada pulgada",
    ),
    "friend": (
        "disregarded: friend in base contact",
        "außer Acht: Freund in Basekontakt",
        "non pris en compte : ami en contact socle à socle",
        "no cuenta: amigo en contacto de peanas",
    ),
    "beyond": (
        "beyond the vision arc",
        "jenseits des Sichtbereichs",
        "au-delà de l'arc de vision",
        "más allá del arco de visión",
    ),
}
"""Of the picture of `silhouette check`."""

_BASES: Mapping[str, Phrases] = {
    "sized": ("{name}, size {size}", "{name}, Größe {size}", "{name}, taille {size}", "{name}, tamaño {size}"),
    "raised": (
        "{name}, size {size}, as {counted}",
        "{name}, Größe {size}, als {counted}",
        "{name}, taille {size}, comme {counted}",
        "{name}, tamaño {size}, como {counted}",
    ),
    "a free line": ("a free line", "eine freie Linie", "une ligne libre", "una línea libre"),
    "no free line": ("blocked", "blockiert", "bloqué", "bloqueado"),
    "between": (
        "all lines from base to base",
        "alle Linien von Base zu Base",
        "toutes les lignes de socle à socle",
        "todas las líneas de peana a peana",
    ),
    "larger": (
        "blocks: larger than the target",
        "blockiert: größer als das Ziel",
        "bloque : plus grand que la cible",
        "bloquea: mayor que el objetivo",
    ),
    "gives cover": ("gives cover", "gibt Deckung", "donne un couvert", "da cobertura"),
    "blocks and covers": (
        "blocks and gives cover",
        "blockiert und gibt Deckung",
        "bloque et donne un couvert",
        "bloquea y da cobertura",
    ),
    "other terrain": ("other terrain", "anderes Gelände", "autre décor", "otra escenografía"),
    "range 1": (
        "range 1 of {name}: {length}",
        "Range 1 um {name}: {length}",
        "portée 1 de {name} : {length}",
        "rango 1 de {name}: {length}",
    ),
    "range 2": (
        "range 2 of {name}: {length}",
        "Range 2 um {name}: {length}",
        "portée 2 de {name} : {length}",
        "rango 2 de {name}: {length}",
    ),
    "length": ("{length} {units}",) * 4,
    "range 1 here": ("range 1", "Range 1", "portée 1", "rango 1"),
    "range 2 here": ("range 2", "Range 2", "portée 2", "rango 2"),
    "looked at": ("what is looked at", "worauf geschaut wird", "ce qui est visé", "lo que se mira"),
}
"""Of the plan of bases."""

_HEXES: Mapping[str, Phrases] = {
    "map title": (
        "Blind from {attacker}",
        "Blind von {attacker} aus",
        "Aveugles depuis {attacker}",
        "Ciegos desde {attacker}",
    ),
    "map reason": (
        "Of {all} hexes, blind: {blind}; of these by the rule of the plateau: {plateau}; hidden otherwise: {hidden}.",
        "Von {all} Feldern blind: {blind}; davon nach der Plateauregel: {plateau}; sonst verborgen: {hidden}.",
        "Hexagones : {all} ; aveugles : {blind}, dont par le plateau : {plateau} ; cachés autrement : {hidden}.",
        "Hexágonos: {all}; ciegos: {blind}, de ellos por la meseta: {plateau}; ocultos de otro modo: {hidden}.",
    ),
    "map part": (
        "Only the hexes up to {steps} from {attacker} are drawn; the board has {all}.",
        "Nur die Felder bis {steps} von {attacker} sind gezeichnet; das Brett hat {all}.",
        "Seuls les hexagones jusqu'à {steps} de {attacker} sont dessinés ; le plateau en a {all}.",
        "Solo se dibujan los hexágonos hasta {steps} de {attacker}; el tablero tiene {all}.",
    ),
    "blind": ("blind hex", "blindes Feld (blind hex)", "hexagone aveugle (blind hex)", "hexágono ciego (blind hex)"),
    "plateau": ("blind: plateau", "blind: Plateau", "aveugle : plateau", "ciego: meseta"),
    "hidden": ("hidden otherwise", "sonst verborgen", "caché autrement", "oculto por otra causa"),
    "entered": ("hex entered", "betretenes Feld", "hexagone traversé", "hexágono atravesado"),
    "obstruction": ("closest obstruction", "nächstes Hindernis", "obstacle le plus proche", "obstáculo más cercano"),
    "blocks": ("blocks the line", "blockiert die Linie", "bloque la ligne", "bloquea la línea"),
    "clear line": ("clear line", "freie Linie", "ligne libre", "línea libre"),
    "blocked line": ("blocked line", "blockierte Linie", "ligne bloquée", "línea bloqueada"),
    "left": ("left", "links", "gauche", "izquierda"),
    "right": ("right", "rechts", "droite", "derecha"),
    "adjacent": (
        "adjacent: always seen",
        "benachbart: immer gesehen",
        "adjacent : toujours vu",
        "adyacente: siempre visto",
    ),
    "woods": ("woods", "Wald", "bois", "bosque"),
    "building": ("building", "Gebäude", "bâtiment", "edificio"),
    "smoke": ("smoke", "Rauch", "fumée", "humo"),
    "level": ("level {level}", "Höhe {level}", "niveau {level}", "nivel {level}"),
    "level mark": ("{level}",) * 4,
    "address": ("{q}, {r}",) * 4,
}
"""Of the board of hexes and of the map of blind ones."""

_CELLS: Mapping[str, Phrases] = {
    "clear lines": (
        "clear lines: {count}",
        "freie Linien: {count}",
        "lignes libres : {count}",
        "líneas libres: {count}",
    ),
    "blocked lines": (
        "blocked lines: {count}",
        "blockierte Linien: {count}",
        "lignes bloquées : {count}",
        "líneas bloqueadas: {count}",
    ),
    "solid": ("terrain", "Gelände", "décor", "terreno"),
    "solid in the way": ("terrain in the way", "Gelände im Weg", "décor faisant obstacle", "terreno que se interpone"),
    "sources": (
        "corners of {attacker}: {count}",
        "Ecken von {attacker}: {count}",
        "coins de {attacker} : {count}",
        "esquinas de {attacker}: {count}",
    ),
    "source point": (
        "the point of {attacker}",
        "der Punkt von {attacker}",
        "le point de {attacker}",
        "el punto de {attacker}",
    ),
    "targets": (
        "corners of {target}: {count}",
        "Ecken von {target}: {count}",
        "coins de {target} : {count}",
        "esquinas de {target}: {count}",
    ),
    "gravity": ("gravity", "Schwerkraft", "gravité", "gravedad"),
    "left out": (
        "gravity face, left out",
        "Seite der Schwerkraft, ausgelassen",
        "face de la gravité, exclue",
        "cara de la gravedad, excluida",
    ),
}
"""Of the view of cells."""

PHRASES: Mapping[str, Phrases] = {**_SHARED, **_TABLES, **_EVIDENCE, **_BASES, **_HEXES, **_CELLS, **REASONS}
"""All of them, by key."""

VERDICTS: Mapping[str, tuple[str, str, str]] = {
    "open": ("offen", "à découvert", "al descubierto"),
    "partial cover": ("Teildeckung", "couvert partiel", "cobertura parcial"),
    "full cover": ("volle Deckung", "couvert total", "cobertura total"),
    "hidden": ("verborgen", "caché", "oculto"),
    "cover": ("Deckung", "couvert", "cobertura"),
    "no cover": ("keine Deckung", "sans couvert", "sin cobertura"),
    "no line of effect": ("keine Wirkungslinie", "pas de ligne d'effet", "sin línea de efecto"),
    "visible": ("sichtbar", "visible", "visible"),
    "very low cover": ("sehr niedrige Deckung", "couvert très bas", "cobertura muy baja"),
    "low cover": ("niedrige Deckung", "couvert bas", "cobertura baja"),
    "high cover": ("hohe Deckung", "couvert haut", "cobertura alta"),
    "corner cover": ("Eckdeckung", "couvert d'angle", "cobertura de esquina"),
}
"""The verdicts of all rule systems, by the rules' own English word, in German, French and Spanish."""

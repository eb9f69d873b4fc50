"""How viewers shade the pieces: a few dull paints of an underhive, linear red, green, blue."""

from models.source.writing import Material

IRON = Material("iron", (0.13, 0.13, 0.14), 0.6, 0.6)
STEEL = Material("worn steel", (0.30, 0.30, 0.31), 0.5, 0.7)
RUST = Material("rust", (0.26, 0.11, 0.05), 0.9, 0.1)
BRASS = Material("brass", (0.42, 0.27, 0.09), 0.45, 0.8)
OLIVE = Material("olive paint", (0.16, 0.17, 0.09), 0.8)
OCHRE = Material("ochre paint", (0.46, 0.27, 0.05), 0.8)
TEAL = Material("teal paint", (0.05, 0.17, 0.17), 0.8)
OXIDE = Material("red oxide paint", (0.32, 0.07, 0.04), 0.8)
WOOD = Material("timber", (0.24, 0.15, 0.08), 0.95)
CONCRETE = Material("concrete", (0.34, 0.32, 0.29), 0.95)
BRICK = Material("brick", (0.30, 0.13, 0.08), 0.95)
ROCK = Material("rock", (0.30, 0.26, 0.22), 0.95)
CLOTH = Material("sacking", (0.36, 0.29, 0.17), 0.95)

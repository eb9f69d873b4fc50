// The shapes of pieces: each is fetched once, by its digest.
const { shapeOf, unpacked } = window.silhouetteViewer;

export class Shapes {
  constructor(connection) {
    this.connection = connection;
    this.triangles = null; // of all pieces together, where fewer are wanted than the server would give
    this.known = new Map();
    this.fetching = null;
  }

  // The outline of a piece's base in plan, or of the box round it where it has none; empty until its shape is there.
  outline({ shape, pose }) {
    const points = this.known.get(shape)?.outline || [];
    return points.map(([x, y]) => [pose[0] * x + pose[1] * y + pose[3], pose[4] * x + pose[5] * y + pose[7]]);
  }

  // Fetches what is missing of these pieces' shapes; true where anything came.
  async fetch(pieces) {
    const missing = () => pieces.some((piece) => !this.known.has(piece.shape));
    if (!missing()) return false;
    while (this.fetching) await this.fetching;
    if (!missing()) return true;
    this.fetching = this.#fetched().finally(() => (this.fetching = null));
    await this.fetching;
    return true;
  }

  async #fetched() {
    const { shapes, packed } = await this.connection.ask({ do: "shapes", known: [...this.known.keys()], triangles: this.triangles });
    const bytes = await unpacked(packed);
    for (const shape of shapes) {
      const { id, height, base, low, high } = shape;
      const box = [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]];
      this.known.set(id, { ...shapeOf(bytes, shape), height, foot: low[2], outline: base || box });
    }
  }
}

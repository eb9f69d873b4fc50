// The shapes of pieces: each is fetched once, by its digest; a few at a time, so that what is there is shown.
const { shapeOf, unpacked } = window.silhouetteViewer;

const QUICK = 150; // ms of an answer, after which the next one may have twice as many shapes

export class Shapes {
  constructor(connection) {
    this.connection = connection;
    this.triangles = null; // of all pieces together, where fewer are wanted than the server would give
    this.known = new Map();
    this.fetching = null;
    this.came = () => {};
  }

  // How many of these pieces have no shape yet.
  missing(pieces) {
    return pieces.filter(({ shape }) => !this.known.has(shape)).length;
  }

  // The outline of a piece's base in plan, or of the box round it where it has none; empty until its shape is there.
  outline({ shape, pose }) {
    const points = this.known.get(shape)?.outline || [];
    return points.map(([x, y]) => [pose[0] * x + pose[1] * y + pose[3], pose[4] * x + pose[5] * y + pose[7]]);
  }

  // Fetches what is missing of these pieces' shapes; true where anything came.
  async fetch(pieces) {
    if (!this.missing(pieces)) return false;
    while (this.fetching) await this.fetching;
    if (!this.missing(pieces)) return true;
    this.fetching = this.#fetched(pieces).finally(() => (this.fetching = null));
    await this.fetching;
    return true;
  }

  // Of a table that has changed meanwhile nothing may be missing on the server: then nothing comes.
  async #fetched(pieces) {
    for (let most = 1, came = 1; came && this.missing(pieces); ) {
      const began = performance.now();
      came = await this.#some(most);
      most = performance.now() - began < QUICK ? 2 * most : 1;
      this.came();
    }
  }

  async #some(most) {
    const { shapes, packed } = await this.connection.ask({ do: "shapes", known: [...this.known.keys()], triangles: this.triangles, most });
    const bytes = await unpacked(packed);
    for (const shape of shapes) {
      const { id, height, base, low, high } = shape;
      const box = [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]];
      this.known.set(id, { ...shapeOf(bytes, shape), height, foot: low[2], outline: base || box });
    }
    return shapes.length;
  }
}

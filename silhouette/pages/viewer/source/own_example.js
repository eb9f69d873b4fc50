// The table that a page shows, on which a visitor's pieces come to stand among its own.
export const WITH_OWN = "with_own_meshes.toml"; // the scene file with both, beside the one that the page was made from

const APART = 30; // mm from others, at least, at which a piece is put down

export class Example {
  // ``told``: the page's document, which the viewer has too; ``source``: the scene file that it was made from.
  constructor(told, source) {
    this.told = told;
    this.source = source;
    this.stood = told.pieces.map(() => null); // where each piece was moved to
    this.meshes = null;
  }

  get names() {
    return this.told.pieces.map(({ name }) => name);
  }

  // A free place for a further piece, beside others that were put down at ``taken``: as near to the near edge as can be, and
  // to its middle.
  place(taken) {
    const { height, span } = this.told.floor;
    const [[left, near], [right, far]] = span;
    const middle = (left + right) / 2;
    const boxes = [...this.#boxes(), ...taken.map(([x, y]) => [x, y, x, y])];
    const isFree = (x, y) => boxes.every(([west, south, east, north]) => x < west - APART || x > east + APART || y < south - APART || y > north + APART);
    for (let y = near + APART; y < far; y += APART) {
      for (let aside = 0; middle + aside < right; aside += APART) {
        for (const x of [middle - aside, middle + aside]) if (isFree(x, y)) return [x, y, height];
      }
    }
    return [middle, near, height];
  }

  // The box in plan round what each piece stands on, as it was moved to.
  #boxes() {
    return this.told.play.pieces.map(({ base: { core, radius } }, index) => {
      const { pose } = this.told.pieces[index];
      const by = [0, 1].map((axis) => (this.stood[index] ? this.stood[index][0][axis] - pose[4 * axis + 3] : 0));
      const ends = (act, way) => [0, 1].map((axis) => act(...core.map((point) => point[axis])) + by[axis] + way * radius);
      return [...ends(Math.min, -1), ...ends(Math.max, 1)];
    });
  }

  // What the view of the table so far leaves: where its pieces were moved to.
  left(play) {
    this.stood = this.told.pieces.map((_, index) => [play.pieces[index].at, play.pieces[index].turn]);
  }

  // What the viewer needs of the table with more pieces: of `packed` their shapes, and of each its entries.
  async document({ shapes, bytes }, entries) {
    const { told } = this;
    this.meshes ??= await window.silhouetteViewer.unpacked(told.packed.map((name) => window.silhouetteMeshes?.[name] ?? name));
    const all = new Uint8Array(this.meshes.length + bytes.length);
    all.set(this.meshes);
    all.set(bytes, this.meshes.length);
    return {
      ...told,
      packed: undefined,
      bytes: all,
      shapes: [...told.shapes, ...shapes.map((shape) => ({ ...shape, at: shape.at + this.meshes.length }))],
      pieces: [...told.pieces, ...entries.map(({ stage }) => ({ ...stage, shape: stage.shape + told.shapes.length }))],
      play: { ...told.play, scene: WITH_OWN, pieces: [...told.play.pieces, ...entries.map(({ play }) => play)] },
    };
  }

  // Where its pieces were moved to, as the view takes it.
  places(play) {
    return this.stood.map((place, index) => [index, ...(place || [play.pieces[index].at, play.pieces[index].turn])]);
  }
}

// What other programs may ask of the page: `window.silhouette`.
export function shared({ table, hand }) {
  return Object.freeze({
    state: () => ({
      pieces: table.pieces.map(({ name, kind, at, facing }) => ({ name, kind, at, facing })),
      selected: table.selected,
      results: table.results.known,
      settled: table.settled,
    }),
    move: (name, at, facing) => table.edit([hand.place(name, at, facing)]).then(() => undefined),
    select: (name) => table.select(name),
    undo: () => hand.undo(),
    save: () => hand.save().then(({ saved }) => saved),
  });
}

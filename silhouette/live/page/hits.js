// The nearest piece that a ray hits: {name, point}; null where there is none.
export function nearestHit(caster, pieces) {
  const meshes = new Map();
  for (const piece of pieces) {
    if (!piece.group.visible) continue;
    for (const mesh of [piece.mesh, piece.ghost]) if (mesh) meshes.set(mesh, piece.name);
  }
  const [hit] = caster.intersectObjects([...meshes.keys()], false);
  return hit ? { name: meshes.get(hit.object), point: hit.point.toArray() } : null;
}

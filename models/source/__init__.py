"""Sculpts the project's own models: `python -m models.source [NAME...]` writes `models/NAME.glb`.

A piece is a module with a function `sculpt() -> Sculpture`; what it returns is a set of named closed solids, in
millimetres, z up, the front at +y, the base's centre at the origin and the lowest point at z = 0. Hard things (crates,
girders, guns) are built from bevelled solids, soft things (bodies, cloth, rock) from signed distance fields whose skin
is turned into a solid; either way the parts end as `manifold3d` solids, and the same source gives the same bytes.

The bytes are the same on every CPU since all is worked out in float64 and rounded (`settling`) well above its noise
before anything is decided by it: directions, the samples of fields, and corners before cutting and simplifying.

What every piece is made with:

    catalogue   which pieces there are, and which module sculpts each
    solids      hard-surface solids: bevelled boxes, plates, pipes, girders, corrugated sheet; placing and joining
    details     what makes them look used: rivets, bolts, panel lines, dents, chipped edges, rubble
    fields      signed distance primitives and operators
    folds       relief for fields: folds of cloth, noise
    settling    numbers without the last bits, in which CPUs differ
    skin        field -> closed triangle mesh -> solid; fewer triangles; a part made ready to be written
    drapes      hanging cloth as thick sheets: cloaks, banners, tabards, torn hems
    paints      how viewers shade terrain
    writing     named parts -> GLB bytes

What figures share:

    anatomy         a pose -> joints and frames; the volumes of torso, limbs and gripping hands
    muscles         bare arms and chests
    clothing        jackets, trousers, boots, gloves; belts, pouches and plates fitted to a body
    armour          breastplate, shoulder pads, knee pads
    fairing         saw-teeth smoothed off skins before they are thinned
    heads           faces, hair, helmets, masks
    gear            weapons, and the holds by which hands grip them
    carbine         a short carbine
    heavy_weapons   a rotary stubber with its ammunition, a great hammer
    regalia         what a leader is known by: power sword, skulls, ornate armour, banner
    bases           round bases and their floors
    rubble          what lies about on bases and is no part of them: bricks, a stump of wall

Pieces:

    figures/                     one module per figure; a leading underscore marks what one figure alone needs
    terrain/                     one module per piece of terrain
    vehicle                      the hauler, put together
    vehicle_parts, vehicle_load  what it runs on; its cargo bed and what is lashed on it
    vehicle_gun                  its roof gun and the gunner
    vehicle_shapes               lean shapes for a piece of many small parts
"""

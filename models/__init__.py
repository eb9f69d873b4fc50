"""The project's own miniatures and terrain: meshes, their model files, and the package that sculpts them."""

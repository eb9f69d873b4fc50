"""COUNT on the device of the renderer ``cuda``: samples and contours stay there, and sums for each check come back."""

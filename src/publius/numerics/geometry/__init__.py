"""Pure mathematics: spheres, circles and the angles between directions."""

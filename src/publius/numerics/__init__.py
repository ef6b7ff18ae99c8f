"""Pure mathematics: geometry, circular statistics, scores, roots, blocks."""

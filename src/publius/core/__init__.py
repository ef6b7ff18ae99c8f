"""Values and contracts that everything else is written in."""

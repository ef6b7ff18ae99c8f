"""Times and places: tables in, tables out, circular statistics and histograms."""

"""One file a group of rows; each has a list `ENTRIES` of `Row` and `Curve`."""

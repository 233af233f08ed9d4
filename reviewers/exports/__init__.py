"""Results in the formats that other tools read."""

"""Plans: what the codec derives from descriptors and binding at start-up."""

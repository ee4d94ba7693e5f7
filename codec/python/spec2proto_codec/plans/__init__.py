"""Plans: what the codec derives from descriptors and binding when it starts."""

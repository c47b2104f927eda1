"""Self-attention, from a sentence to its context vectors, with every number in view."""

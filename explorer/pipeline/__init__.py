"""Attention as a list of named steps, and the walks over it from which all else follows."""

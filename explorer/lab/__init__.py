"""Experiments that settle a doubt, each a few functions: numbers in, numbers out.

Nothing is imported here: some of them need PyTorch, and nobody should wait for it who asks for
another.
"""

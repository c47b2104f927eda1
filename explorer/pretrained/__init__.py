"""A trained transformer in NumPy, whose attention is `explorer.attention.attend`.

Nothing is loaded before the view that shows it asks, and neither PyTorch nor transformers ever is.
"""

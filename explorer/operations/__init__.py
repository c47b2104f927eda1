"""The kinds of step that attention is made of, and what each of them knows about itself."""

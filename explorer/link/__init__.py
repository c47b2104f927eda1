"""The state of the page: as a typed value, as a link, and what is computed from it."""

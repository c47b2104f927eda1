"""The experiments of the lab as they stand on the page, one module each."""

"""Files that a reader brings, as the page's state. Nothing in a file is ever run."""

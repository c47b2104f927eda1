"""What a trace looks like in words, formulas and programs, on any page."""

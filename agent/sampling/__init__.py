"""Windows of samples while a tool runs, and each kind of figure in them."""

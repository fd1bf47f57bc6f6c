"""The control port, what the daemon keeps running, its start and its end."""

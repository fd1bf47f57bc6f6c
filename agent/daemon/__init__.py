"""The control port, the daemon's services, its start and its end."""

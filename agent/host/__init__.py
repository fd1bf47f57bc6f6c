"""This host: its files, processes, locks, interfaces, and its facts for the results."""

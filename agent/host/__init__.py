"""This host: its files, processes, locks, interfaces, and the facts that go to the results."""

"""Shared parts of the agent: text, JSON, options, errors, bounds."""

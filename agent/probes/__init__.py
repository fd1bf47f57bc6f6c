"""Tools that are part of the agent: probes and searches."""

"""What every part of the agent uses: text, JSON, options, errors, bounds."""

"""One measurement: prove the path, sample, run the tool, reduce its output."""

#!/usr/bin/env python3
"""The program of `probes/search.py`."""

import sys

from probes.search import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

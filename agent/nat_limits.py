#!/usr/bin/env python3
"""The program of `probes/nat_limits.py`."""

import sys

from probes.nat_limits import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

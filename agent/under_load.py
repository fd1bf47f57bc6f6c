#!/usr/bin/env python3
"""The program of `probes/under_load.py`."""

import sys

from probes.under_load import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

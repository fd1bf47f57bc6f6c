#!/usr/bin/env python3
"""The program of `probes/nat_responder.py`."""

import sys

from probes.nat_responder import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

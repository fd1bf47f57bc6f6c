"""Shifts Python's wall clock by the seconds in the file that CLOCK_JUMP names. The monotonic clock stays."""

import os
import time

unmoved = time.time


def moved() -> float:
    try:
        with open(os.environ["CLOCK_JUMP"]) as file:
            return unmoved() + float(file.read() or 0)
    except OSError:
        return unmoved()


time.time = moved

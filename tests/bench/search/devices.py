"""Paths that lose as real ones do, not only above their capacity. Simulated; capacity is 1.

A device gets a trial's start (seconds), its length and the offered load, and returns the share of lost
packets. `chance` is the only source of randomness.
"""

from __future__ import annotations

import math
import random
from typing import Callable, Dict

# Packets a second at load 1: 560 Mbit/s of 1,400 bytes.
PACKETS = 50_000

Device = Callable[[float, float, float, random.Random], float]


def lost_packets(chance: random.Random, packets: float, each: float) -> float:
    """Number of lost packets when each is lost with this probability: binomial, as Poisson or normal."""
    mean = packets * each
    if mean > 50:
        return max(0.0, round(chance.gauss(mean, math.sqrt(mean * (1 - each)))))
    limit, product, count = math.exp(-mean), chance.random(), 0
    while product > limit:
        count += 1
        product *= chance.random()
    return float(count)


def over(load: float, capacity: float = 1.0) -> float:
    """The share that exceeds a capacity."""
    return max(0.0, 1 - capacity / load)


def clean(_at: float, _seconds: float, load: float, _chance: random.Random) -> float:
    return over(load)


def stray_loss(_at: float, seconds: float, load: float, chance: random.Random) -> float:
    """One packet in 100,000, at any load."""
    packets = PACKETS * load * seconds
    return max(over(load), lost_packets(chance, packets, 1e-5) / packets)


def hiccups(_at: float, seconds: float, load: float, chance: random.Random) -> float:
    """Twice a minute a stop of 20 ms."""
    count = lost_packets(chance, 1, min(1.0, seconds * 2 / 60))
    return min(1.0, over(load) + count * 0.02 / seconds)


def jittery_capacity(_at: float, _seconds: float, load: float, chance: random.Random) -> float:
    """The capacity of each trial scatters by 1 %."""
    return over(load, chance.gauss(1, 0.01))


def noisy_neighbour(_at: float, _seconds: float, load: float, chance: random.Random) -> float:
    """One trial in five gets 10 % less."""
    return over(load, 0.9 if chance.random() < 0.2 else 1.0)


def deep_buffer(_at: float, seconds: float, load: float, _chance: random.Random) -> float:
    """A queue of 50 ms takes what exceeds the capacity before anything is dropped."""
    return max(0.0, (load - 1) * seconds - 0.05) / (load * seconds)


def early_drops(_at: float, seconds: float, load: float, chance: random.Random) -> float:
    """Loss begins at 95 % of the capacity and grows towards it, as with active queue management."""
    packets = PACKETS * load * seconds
    early = 1e-4 * max(0.0, (load - 0.95) / 0.05) ** 2
    return max(over(load), lost_packets(chance, packets, min(1.0, early)) / packets)


def outages(at: float, seconds: float, load: float, _chance: random.Random) -> float:
    """Every 30 s a stop of 0.9 s."""
    hit = sum(
        max(0.0, min(at + seconds, start + 0.9) - max(at, start))
        for start in (30 * round_ for round_ in range(int(at // 30), int((at + seconds) // 30) + 1))
    )
    return 1 - (1 - hit / seconds) * (1 - over(load))


def daily_drift(at: float, seconds: float, load: float, _chance: random.Random) -> float:
    """The capacity sways by 1 % within 40 s."""
    return over(load, 1 + 0.01 * math.sin((at + seconds / 2) * 2 * math.pi / 40))


def busy_receiver(_at: float, seconds: float, load: float, chance: random.Random) -> float:
    """The receiver's socket overflows at times, more often near the capacity."""
    is_hit = chance.random() < 0.4 * load**8 * min(1.0, seconds)
    return min(1.0, over(load) + (chance.uniform(1e-4, 2e-3) if is_hit else 0.0))


DEVICES: Dict[str, Device] = {
    "clean": clean,
    "stray loss 1e-5": stray_loss,
    "hiccups, 2 a minute": hiccups,
    "jittery capacity": jittery_capacity,
    "noisy neighbour": noisy_neighbour,
    "deep buffer": deep_buffer,
    "early drops": early_drops,
    "outages": outages,
    "swaying capacity": daily_drift,
    "busy receiver": busy_receiver,
}

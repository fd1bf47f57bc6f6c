"""Windows of samples, which the daemon opens and closes."""

from __future__ import annotations

import time

from common.documents import NO_WINDOW
from common.errors import AgentError
from common.limits import MAX_WINDOW_SAMPLES, MAX_WINDOWS
from host.host_facts import memory_bytes
from host.netlink import all_links
from sampling.allowances import allowances
from sampling.counter import TestPorts
from sampling.cpu_usage import cpu_usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sampling.flows import Ports
    from sampling.kernel_samples import Sample


class Sampler:
    """Samples the host each second, in windows. Connections on `ports` are read."""

    def __init__(self, ports: Ports | None = None) -> None:
        import threading

        self._ports = ports or {}
        self.datagrams = TestPorts(self._ports.get("udp", []))

        self._lock = threading.Lock()
        self._windows: dict[str, Window] = {}

    def start(self, name: str, max_seconds: float) -> None:
        """Opens a window; one of the same name restarts. Raises AgentError where it cannot."""
        with self._lock:
            for old in [key for key, window in self._windows.items() if key == name or window.is_over()]:
                self._windows.pop(old).discard()
            if len(self._windows) >= MAX_WINDOWS:
                raise AgentError(f"{MAX_WINDOWS} windows are open already")
            self._windows[name] = Window(max_seconds, self._ports, self.datagrams)

    def stop(self, name: str) -> dict[str, Any]:
        """Closes a window; returns its figures. CPU is null, with the reason, where there are none."""
        with self._lock:
            window = self._windows.pop(name, None)
        if window is None:
            raise AgentError(f"{NO_WINDOW}: it was never started, or the agent has been restarted since")
        return window.finish()

    def close(self) -> None:
        with self._lock:
            for window in self._windows.values():
                window.discard()
            self._windows.clear()


class Window:
    """Samples of each second, and the counters at the start."""

    def __init__(self, max_seconds: float, ports: Ports, datagrams: TestPorts) -> None:
        from sampling import cpu_time
        from sampling.kernel_samples import KernelSamples
        from sampling.network_usage import NetworkWindow

        self._cpu_time = cpu_time.read()
        self._allowances = allowances()
        self._network = NetworkWindow(all_links(), max_seconds + 60, ports, datagrams)
        self._ends = time.monotonic() + max_seconds + 60
        self._samples = KernelSamples(max_seconds + 60)

    def is_over(self) -> bool:
        return time.monotonic() > self._ends

    def discard(self) -> None:
        self._network.discard()
        self._samples.discard()

    def finish(self) -> dict[str, Any]:
        from sampling import cpu_time

        self._network.drain()
        network = self._network.read(all_links())  # first, because the rest takes time
        cpu_time_end = cpu_time.read()
        try:
            samples = self._samples.finish()
            cpu = cpu_usage(samples)
            problem = "no sample: the case took less than a second" if cpu is None else None
            network["series"] = self._series(samples, network)
            return {
                "cpu": cpu,
                "network": network,
                "peers": self._network.peers(),
                "problem": problem,
                "cpuTime": {"start": self._cpu_time, "end": cpu_time_end},
                **self._exceeded(),
                **memory_usage(samples, memory_bytes()),
            }
        except ValueError:
            raise AgentError("the samples have no CPU statistics") from None

    def _series(self, samples: list[Sample], totals: dict[str, Any]) -> list[dict[str, Any]]:
        from sampling.network_usage import thin_network

        series = self._network.series(samples, totals)
        return thin_network(series, -(-len(series) // MAX_WINDOW_SAMPLES))

    def _exceeded(self) -> dict[str, Any]:
        """Increase of the allowance counters; empty where the host has none."""
        if not self._allowances:
            return {}
        before = self._allowances
        return {"allowances": {name: max(0, now - before.get(name, 0)) for name, now in allowances().items()}}


def memory_usage(samples: list[Sample], total: int | None) -> dict[str, dict[str, int]]:
    """Memory unavailable to programs: at both ends and at its peak. Empty where it is unknown.

    Caches, which the kernel can free, are available. `total` is the host's, in bytes.
    """
    if total is None:
        return {}
    available = [sample["availableBytes"] for sample in samples]
    used = [max(0, total - free) for free in available if free]
    if not used:
        return {}
    return {"memory": {"usedBytesAtStart": used[0], "usedBytesAtEnd": used[-1], "peakUsedBytes": max(used)}}

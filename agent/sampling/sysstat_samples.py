"""Samples of sysstat's collector, which writes a file that sadf reads at the end."""

from __future__ import annotations

import os

from common.limits import MAX_WINDOW_BYTES
from host.processes import environment, find_executable, json_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COLLECTORS = (
    "/usr/lib/sysstat/sadc",
    "/usr/lib64/sa/sadc",
    "/usr/lib/sa/sadc",
    "/usr/libexec/sysstat/sadc",
)


def collector() -> str | None:
    """The path of sysstat's collector; None where sysstat is not installed."""
    if find_executable("sadf") is None:
        return None
    return find_executable("sadc") or next(filter(os.path.exists, COLLECTORS), None)


class SysstatSamples:
    """One collector process and its file. It ends by itself when nobody comes for it."""

    def __init__(self, program: str, file: str, max_seconds: float) -> None:
        import resource
        import subprocess

        self._file = file
        # SNMP: sysstat's group that has TCP's counters.
        self._process = subprocess.Popen(
            [program, "-S", "SNMP", "1", str(int(max_seconds) + 2), file],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment("serve"),
        )
        try:
            resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (MAX_WINDOW_BYTES, MAX_WINDOW_BYTES))
        except OSError:  # it has ended already; the window's end tells
            pass

    def document(self) -> Any:
        """Ends the collector; what `sadf -j` prints of its file."""
        self._end()
        try:
            figures = ["-u", "ALL", "-P", "ALL", "-r", "-n", "DEV,EDEV,TCP,ETCP"]
            return json_output(["sadf", "-j", self._file, "--", *figures], 30)
        finally:
            self._delete()

    def discard(self) -> None:
        self._end()
        self._delete()

    def _end(self) -> None:
        import subprocess

        self._process.terminate()
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _delete(self) -> None:
        try:
            os.unlink(self._file)
        except FileNotFoundError:
            pass

"""Runs other programs, each with a timeout, and reads and writes small files."""

import os
import subprocess
import sys
from typing import Any, List, Optional, Tuple

RUN = "/run"
ROLE_FILE = f"{RUN}/egress-bench-ha"
STATUS_FILE = f"{ROLE_FILE}.json"
METRICS_FILE = f"{ROLE_FILE}.prom"
PIDS = f"{ROLE_FILE}.d"


def log(text: str) -> None:
    try:
        print(f"egress-bench-ha: {text}", file=sys.stderr, flush=True)
    except OSError:
        pass  # a full disk


def run(words: List[str], seconds: float) -> Tuple[Optional[int], str]:
    """Exit status and output; None: it could not be started, or was killed after `seconds`."""
    try:
        done = subprocess.run(
            words,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    return done.returncode, done.stdout.decode(errors="replace")


def write(path: str, text: str) -> None:
    """Replaces a file as a whole. A full disk costs the file and nothing else."""
    try:
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(f"{path}.new", path)
    except OSError as error:
        log(f"{path} not written: {error}")


def read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def pid_of(name: str) -> Optional[int]:
    """The process id recorded under this name, if that process runs; a zombie counts as gone.

    A start time after it must be the process's own: another process may have got the id since.
    """
    pid, _, start = read(f"{PIDS}/{name}").partition(" ")
    fields = stat_of(pid or 0)
    return int(pid) if fields and fields[0] not in "ZX" and start in ("", fields[19]) else None


def stat_of(pid: Any) -> List[str]:
    """The fields of proc(5) from the state letter on, such as R, S, T or Z; none where the process is gone."""
    return read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def processor_ticks(pid: int) -> int:
    fields = stat_of(pid)
    return int(fields[11]) + int(fields[12]) if fields else -1


def end(pid: Optional[int], signal_number: int) -> None:
    try:
        if pid is not None:
            os.kill(pid, signal_number)
    except ProcessLookupError:
        pass


def launch(name: str, words: List[str]) -> None:
    """Starts a program in a session of its own, so that it outlives this one, and records its process id."""
    with open(f"{RUN}/egress-bench-{name}.log", "ab") as output:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    write(f"{PIDS}/{name}", str(process.pid))

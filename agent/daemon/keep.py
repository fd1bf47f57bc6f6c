"""keep: restarts the daemon until it is stopped in order."""

from __future__ import annotations

import subprocess
import sys
import time

from daemon.log import log
from host.files import AGENT_FILE
from host.processes import environment, kill_marked

PAUSE_SECONDS = 0.2


def keep() -> None:
    """usage: agent.py keep

    Runs `serve`, and starts it again when a signal killed it; what it left running is ended first. Ends with the
    daemon's exit status when that one ends by itself. Started by `prepare`.
    """
    while True:
        status = subprocess.call([sys.executable, AGENT_FILE, "serve"], env=environment("serve"))
        if status >= 0:
            sys.exit(status)
        log(f"the daemon was killed by signal {-status}: it is started again")
        kill_marked("serve")
        time.sleep(PAUSE_SECONDS)

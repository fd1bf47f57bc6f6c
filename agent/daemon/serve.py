"""serve: the daemon itself, started by `prepare`."""

from __future__ import annotations

import os
import signal
import sys

from common.contract import CONTRACT
from common.errors import AgentError
from common.texts import encode
from daemon.control_port import read_secret
from daemon.control_server import ControlServer
from daemon.failures import Failures
from daemon.lifecycle import current_digest
from daemon.services import Service, wanted_services
from host.files import in_dir, read_json, write_file
from host.locks import open_lock, try_lock
from host.processes import wait_until
from sampling.windows import Sampler


def serve() -> None:
    """usage: agent.py serve

    The daemon, in the foreground, as the last `prepare` configured it. Ended by SIGTERM, with all it started.
    """
    config = read_json(in_dir("config.json"))
    if config is None:
        raise AgentError("this host was never prepared: run `agent.py prepare` first")
    lock = open_lock(in_dir("daemon.lock"))
    if not wait_until(lambda: try_lock(lock), 1):  # another process may be testing it
        raise AgentError("a daemon is already running in this directory")
    digest = current_digest()
    write_file(in_dir("daemon.json"), encode({"pid": os.getpid(), "digest": digest}))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    services = [Service(name, port, argv) for name, port, argv in wanted_services(config)]
    sampler = Sampler(config.get("dataPorts", CONTRACT["dataPorts"]))
    try:
        failures = Failures(config.get("failures", []))
        server = ControlServer(config["port"], read_secret(), digest, sampler, services, failures)
        for service in services:
            service.start()
        server.serve()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sampler.close()
        for service in services:
            service.terminate()
        for service in services:
            service.join()

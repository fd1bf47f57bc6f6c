#!/usr/bin/env python3
"""egress-bench host agent: the one program that runs on the hosts of a benchmark.

  prepare   check the tools, start the daemon, report facts about the host
  run       measure once: re-attachable, proves the path, samples the hosts, reduces the output
  connect   the TCP-connect prober, a tool like iperf3
  probe     a tool that is run by one of the files of probes/, which its first option names
  stop      end the daemon and everything the agent started
  serve     the daemon itself
  keep      starts the daemon, again where it was killed; started by prepare
  sink      accepts and closes connections, started by the daemon of a server
  https     runs the web server of HTTP cases, started by the daemon of a server
  counter   counts datagrams by port; root runs it for the daemon of another account

`agent.py <sub-command> --help` tells the rest; protocol.ts beside this file is the JSON contract.
Needs Python 3.8 and nothing else. What is slow to import is imported where it is used: `run` and the
interpreter's start are paid for by every case.
"""

from __future__ import annotations

import importlib
import os
import re
import sys

from common.errors import NO_MEMORY, AgentError, BadInput

# Sub-commands by the room of their file; each is a function of the same name.
PLAIN = {"prepare": "daemon", "run": "runner", "stop": "daemon", "serve": "daemon", "keep": "daemon"}
WITH_OPTIONS = {
    "connect": "probes",
    "probe": "probes",
    "sink": "daemon",
    "https": "daemon",
    "counter": "sampling",
}
ROOMS = {**PLAIN, **WITH_OPTIONS}


def main() -> int:
    os.umask(0o077)
    name, arguments = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    if name not in ROOMS:
        if name in ("--help", "-h"):
            print(__doc__)
            return 0
        known = ", ".join(ROOMS)
        print(f"agent.py: expected a sub-command ({known}), got {name or 'nothing'}", file=sys.stderr)
        return 2
    try:
        command = getattr(importlib.import_module(f"{ROOMS[name]}.{name}"), name)
        if arguments and arguments[0] in ("--help", "-h"):
            print(re.sub(r"^ {4}", "", command.__doc__ or "", flags=re.MULTILINE).rstrip())
            return 0
        if name in PLAIN and arguments:
            raise BadInput(f"{arguments[0]}: expected no argument")
        command(arguments) if name in WITH_OPTIONS else command()
        sys.stdout.flush()
        if name == "run":
            # Skips the interpreter's own end, which takes a few milliseconds that each case would wait for.
            os._exit(0)
        return 0
    except BadInput as error:
        said, status = str(error), 2
    except (AgentError, OSError) as error:
        said, status = str(error), 1
    except MemoryError:
        said, status = NO_MEMORY, 1
    print(f"agent.py {name}: {said}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())

"""The agent's bounds: the most that it reads, writes, keeps and waits for."""

from __future__ import annotations

from common.contract import CONTRACT

MAX_REPORT_BYTES: int = CONTRACT["bounds"]["reportBytes"]
MAX_STDOUT_BYTES: int = CONTRACT["bounds"]["outputBytes"]
MAX_PAIRS: int = CONTRACT["bounds"]["pairs"]
# Most outages that the connect probe lists.
MAX_OUTAGES: int = CONTRACT["bounds"]["outages"]
# Longest wait for a NAT instance that failed in the previous case and may still be booting.
READY_SECONDS: int = CONTRACT["bounds"]["readySeconds"]
MAX_STDERR_BYTES = 2 * 1024
MAX_STDIN_BYTES = 1024 * 1024
# The kernel ends a tool that writes more; cJSON and the agent both hold the whole document in memory.
MAX_RAW_BYTES = 64 * 1024 * 1024
# Only the ends of an output are searched for a reason to retry.
RETRY_TEXT_BYTES = 64 * 1024
KEPT_RUNS = 500

KILL_AFTER_SECONDS = 5
OBSERVE_SECONDS = 10.0
# Silence after which the kernel probes a connection that is quiet during a test.
KEEP_ALIVE_SECONDS: int = CONTRACT["bounds"]["keepAliveSeconds"]
# Seconds of a run beside the tool: path probe, sampling, reducing.
RUN_MARGIN_SECONDS = 60

# The control port's bounds: the most that a hostile peer can take. Twice the pairs of one start, so that none
# evicts another.
MAX_CONNECTIONS = 2 * MAX_PAIRS
CONNECTION_SECONDS = 15.0
MAX_REQUEST_BYTES = 4096
MAX_REPLY_BYTES = 1024 * 1024
MAX_WINDOWS = 16
# Longest wait for the other pairs, whose tools may run for hours.
MAX_WAIT_SECONDS = 86400
MAX_WINDOW_SECONDS = 86400
# A reply with this many entries of both series is well below MAX_REPLY_BYTES.
MAX_WINDOW_SAMPLES = 2400
MAX_LOG_BYTES = 1024 * 1024
# Peers listed in reports and by samplers: the connection probes open tens of thousands.
MAX_PEERS = 256

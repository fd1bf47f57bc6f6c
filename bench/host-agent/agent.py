#!/usr/bin/env python3
"""egress-bench host agent: the one program that runs on the hosts of a benchmark.

  prepare   check the tools, start the daemon, report facts about the host
  run       measure once: re-attachable, proves the path, samples the hosts, reduces the output
  connect   the TCP-connect prober, a tool like iperf3
  stop      end the daemon and everything the agent started
  serve     the daemon itself, started by prepare
  sink      accepts and closes connections, started by the daemon of a server

`agent.py <sub-command> --help` tells the rest; protocol.ts beside this file is the JSON contract.
Needs Python 3.8 and nothing else. What is slow to import is imported where it is used: `run` and the
interpreter's start are paid for by every case.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import socket
import sys
import time

from agent_files import AGENT_DIR, AGENT_FILE, in_dir, last_words, read_ends, read_file, read_json, write_file
from checks import is_integer, is_number, is_port, is_text, is_text_list, take, take_object
from connect import connect
from control_port import Channel, ask, read_secret, request_mac
from cpu_usage import MEAN_KINDS, SERIES_KINDS, cpu_usage, is_cpu_usage
from documents import PROTOCOL_VERSION, print_document, read_stdin
from errors import AgentError, BadInput, failure, reason
from limits import (
    CONNECTION_SECONDS,
    KEPT_RUNS,
    KILL_AFTER_SECONDS,
    MAX_CONNECTIONS,
    MAX_LOG_BYTES,
    MAX_RAW_BYTES,
    MAX_REQUEST_BYTES,
    MAX_STDERR_BYTES,
    MAX_WINDOWS,
    MAX_WINDOW_BYTES,
    MAX_WINDOW_SAMPLES,
    MAX_WINDOW_SECONDS,
    OBSERVE_SECONDS,
    RETRY_TEXT_BYTES,
    RUN_MARGIN_SECONDS,
)
from locks import is_locked, open_lock, try_lock
from options import options
from processes import (
    environment,
    find_executable,
    json_output,
    kill_marked,
    output_of,
    signal_group,
    wait_until,
)
from reducing import fit, reduce_output
from texts import brief, encode, iso_now, last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

# --- Constants ---------------------------------------------------------------------------------------------


PATH_TRIES = 3
PATH_TRY_SECONDS = 2.0
PATH_PAUSE_SECONDS = 0.5


DAEMON_SECONDS = 10.0

# What set-up scripts tell about a host, one note a line.
NOTES_FILE = "/run/egress-bench-notes"

ROLES = ("client", "server", "nat", "router", "jump")
KEY = re.compile(r"[A-Za-z0-9._-]{1,200}")


# What lies beside this file imports from it: the program that runs, not a second copy with errors of its own.
sys.modules.setdefault("agent", sys.modules[__name__])


# --- Checking input ----------------------------------------------------------------------------------------


def check_prepare(spec: dict[str, Any]) -> dict[str, Any]:
    take(spec, "", "host", is_text, "a name")
    take(spec, "", "role", lambda value: value in ROLES, "one of " + ", ".join(ROLES))
    take(
        spec,
        "",
        "secret",
        lambda value: is_text(value) and len(value) >= 16,
        "a text of 16 characters or more",
    )
    take(
        spec,
        "",
        "executables",
        lambda value: is_text_list(value) and all(re.fullmatch(r"[\w.+-]+", name) for name in value),
        "a list of names of executables",
    )
    ports = take_object(spec, "", "ports")
    for name in ("agent", "iperf3", "connect", "sockperf", "nat", "natOther"):
        take(ports, "ports.", name, is_port, "a port, 1 to 65535")
    import ntttcp

    return ntttcp.check(spec)


def check_run(spec: dict[str, Any]) -> dict[str, Any]:
    take(spec, "", "key", lambda value: is_text(value) and usable_key(value), "1 to 200 of A-Z a-z 0-9 . _ -")
    take(spec, "", "command", is_text, "a shell command")
    take(spec, "", "pauseSeconds", lambda value: is_number(value, 0, 3600), "a number, 0 to 3600")
    take(
        spec,
        "",
        "timeoutSeconds",
        lambda value: is_number(value, 0.001, 7 * 86400),
        "a number above 0, a week at most",
    )
    take(spec, "", "reducer", lambda value: value in ("iperf3", "none"), "iperf3 or none")
    retry = take_object(spec, "", "retry")
    patterns = take(retry, "retry.", "patterns", is_text_list, "a list of regular expressions")
    for pattern in patterns:
        try:
            re.compile(pattern)
        except (re.error, RecursionError) as error:
            raise BadInput(
                f"retry.patterns: expected regular expressions, got {json.dumps(pattern)}: {error}"
            ) from None
    take(retry, "retry.", "attempts", lambda value: is_integer(value, 1, 20), "an integer, 1 to 20")
    take(retry, "retry.", "delaySeconds", lambda value: is_number(value, 0, 3600), "a number, 0 to 3600")
    path = take_object(spec, "", "path")
    take(path, "path.", "address", is_text, "an address")
    take(path, "path.", "port", is_port, "a port, 1 to 65535")
    for name in ("expected", "forbidden"):
        take(path, "path.", name, is_text_list, "a list of addresses")
    hosts = take(
        spec,
        "",
        "observe",
        lambda value: (
            isinstance(value, list) and len(value) <= 64 and all(isinstance(host, dict) for host in value)
        ),
        "a list of at most 64 hosts",
    )
    for index, host in enumerate(hosts):
        where = f"observe[{index}]."
        take(host, where, "host", is_text, "a name")
        take(host, where, "role", lambda value: value in ROLES, "one of " + ", ".join(ROLES))
        take(host, where, "address", is_text, "an address")
        take(host, where, "port", is_port, "a port, 1 to 65535")
    if spec.get("rendezvous") is not None:
        check_rendezvous(take_object(spec, "", "rendezvous"))
        # The others would not start a second time.
        take(retry, "retry.", "attempts", lambda value: value == 1, "1 with a rendezvous")
    return spec


def check_rendezvous(place: dict[str, Any]) -> None:
    where = "rendezvous."
    take(place, where, "address", is_text, "an address")
    take(place, where, "port", is_port, "a port, 1 to 65535")
    take(place, where, "id", lambda value: is_text(value) and len(value) <= 200, "1 to 200 characters")
    count = take(place, where, "count", lambda value: is_integer(value, 2, 16), "an integer, 2 to 16")
    take(place, where, "member", lambda value: is_integer(value, 1, count), f"an integer, 1 to {count}")
    take(
        place,
        where,
        "waitSeconds",
        lambda value: is_number(value, 0.001, 300),
        "a number above 0, 300 at most",
    )


def usable_key(key: str) -> bool:
    """A key names a directory: `.` and `..` match the pattern and must not."""
    return KEY.fullmatch(key) is not None and key.strip(".") != ""


# --- prepare -----------------------------------------------------------------------------------------------


def prepare() -> None:
    """usage: agent.py prepare < spec.json

    Checks that the executables exist, stores the stack's secret, starts the daemon (or restarts it where the
    agent or the specification has changed) and prints facts about the host once everything answers.
    """
    spec = check_prepare(read_stdin())
    missing = [name for name in spec["executables"] if find_executable(name) is None]
    if missing:
        raise AgentError(
            f"host {spec['host']} lacks {', '.join(missing)}: install what provides it and try again"
        )
    os.chmod(AGENT_DIR, 0o700)
    lock = open_lock(in_dir("prepare.lock"))
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        # Other tools in a plan are no reason to restart the daemon.
        config = {key: value for key, value in spec.items() if key not in ("secret", "executables")}
        write_file(in_dir("secret"), spec["secret"].encode())
        write_file(in_dir("config.json"), encode(config))
        digest = current_digest()
        if running_digest() != digest:
            stop_daemon()
            start_daemon()
        wait_for_daemon(config, digest)
    finally:
        os.close(lock)
    print_document({"version": PROTOCOL_VERSION, "facts": host_facts(spec["host"], spec["role"])})


def current_digest() -> str:
    """Names agent, specification, secret and services: a daemon of another digest is out of date."""
    import hashlib

    digest = hashlib.sha256()
    sources = sorted(name for name in os.listdir(AGENT_DIR) if name.endswith(".py"))
    for path in (*map(in_dir, sources), in_dir("config.json"), in_dir("secret")):
        content = read_file(path) or b""
        digest.update(f"{len(content)}:".encode() + content)
    # A tool may have been installed since.
    digest.update(encode(wanted_services(read_json(in_dir("config.json")) or {})))
    return digest.hexdigest()


def running_digest() -> str | None:
    if not is_locked(in_dir("daemon.lock")):
        return None
    return (read_json(in_dir("daemon.json")) or {}).get("digest")


def start_daemon() -> None:
    """Starts `serve` in a session of its own, so that it outlives this one."""
    import subprocess

    log = os.open(in_dir("daemon.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        subprocess.Popen(
            [sys.executable, AGENT_FILE, "serve"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=environment("serve"),
            start_new_session=True,
        )
    finally:
        os.close(log)


def wait_for_daemon(config: dict[str, Any], digest: str | None = None) -> None:
    """Probes until the daemon and all it supervises answer. Raises AgentError telling what does not."""
    secret = read_secret()
    problem = "it did not start"

    def answers() -> bool:
        nonlocal problem
        try:
            status = ask("127.0.0.1", config["ports"]["agent"], {"op": "status"}, 2, secret)
        except (OSError, ValueError, AgentError) as error:
            problem = f"port {config['ports']['agent']}: {reason(error)}"
            return False
        if digest is not None and status.get("digest") != digest:
            problem = f"port {config['ports']['agent']} is answered by another agent"
            return False
        failing = [service for service in status.get("services", []) if not service["listening"]]
        problem = "; ".join(
            f"{service['name']} does not listen on port {service['port']}: {service['problem'] or 'no trace'}"
            for service in failing
        )
        return not failing

    if not wait_until(answers, DAEMON_SECONDS):
        log = last_words(in_dir("daemon.log"))
        raise AgentError(
            f"host {config['host']}: the agent's daemon is not ready after {DAEMON_SECONDS:g} s: {problem}"
            + (f" (log: {log})" if log else "")
        )


def stop_daemon() -> bool:
    """Ends the daemon and all it started, also what a killed one left behind. False: there was nothing."""
    lock = in_dir("daemon.lock")
    found = is_locked(lock)
    if found:
        signal_daemon(signal.SIGTERM)
        if not wait_until(lambda: not is_locked(lock), 2 * KILL_AFTER_SECONDS):
            signal_daemon(signal.SIGKILL)
            wait_until(lambda: not is_locked(lock), 1)
    return kill_marked("serve") > 0 or found


def signal_daemon(number: int) -> None:
    """The daemon holds its lock, so the process id in its file is its own."""
    pid = (read_json(in_dir("daemon.json")) or {}).get("pid")
    if isinstance(pid, int):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


# --- Facts about the host ----------------------------------------------------------------------------------

# Those that move throughput, latency or the number of flows.
SYSCTLS = (
    "net.core.default_qdisc",
    "net.core.netdev_budget",
    "net.core.netdev_budget_usecs",
    "net.core.netdev_max_backlog",
    "net.core.rmem_max",
    "net.core.somaxconn",
    "net.core.wmem_max",
    "net.ipv4.conf.all.rp_filter",
    "net.ipv4.conf.all.send_redirects",
    "net.ipv4.ip_forward",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_mtu_probing",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_wmem",
    "net.netfilter.nf_conntrack_buckets",
    "net.netfilter.nf_conntrack_max",
    "net.netfilter.nf_conntrack_tcp_timeout_established",
    "net.netfilter.nf_flowtable_tcp_timeout",
    "net.netfilter.nf_flowtable_udp_timeout",
)

VERSION_COMMANDS = {
    "iperf3": ["iperf3", "--version"],
    "sockperf": ["sockperf", "--version"],
    "ntttcp": ["ntttcp", "-h"],  # -V is no question for the version: it would start a receiver
    "sar": ["sar", "-V"],
    "ip": ["ip", "-V"],
    "nft": ["nft", "--version"],
}


def host_facts(host: str, role: str) -> dict[str, Any]:
    """What results say about a host; null for what it does not tell."""
    system = os.uname()
    tuning = tuning_profile()
    sysctls = {
        name: value for name, value in ((name, read_sysctl(name)) for name in SYSCTLS) if value is not None
    }
    return {
        "host": host,
        "role": role,
        "kernel": system.release,
        "os": os_name(),
        "architecture": system.machine,
        "cpus": len(os.sched_getaffinity(0)),
        "memoryBytes": memory_bytes(),
        "congestionControl": sysctls.get("net.ipv4.tcp_congestion_control"),
        "interfaces": interfaces(),
        "sysctls": sysctls,
        "tools": tool_versions(),
        "tuning": tuning or "none",
        "notes": read_notes(NOTES_FILE) + (read_notes(in_dir("tuning", "notes")) if tuning else []),
    }


def read_line(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(4096).strip()
    except OSError:
        return None


def read_sysctl(name: str) -> str | None:
    value = read_line("/proc/sys/" + name.replace(".", "/"))
    return " ".join(value.split()) if value is not None else None


def os_name() -> str | None:
    match = re.search(r'^PRETTY_NAME="?([^"\n]*)', read_line("/etc/os-release") or "", re.MULTILINE)
    return match.group(1) if match else None


def memory_bytes() -> int | None:
    match = re.search(r"^MemTotal:\s*(\d+) kB", read_line("/proc/meminfo") or "", re.MULTILINE)
    return int(match.group(1)) * 1024 if match else None


def read_notes(path: str) -> list[str]:
    """A set-up script's notes, e.g. "no nftables flowtable in this kernel". At most 50."""
    lines = (line.strip() for line in (read_line(path) or "").splitlines())
    return [brief(line) for line in lines if line][:50]


def tuning_profile() -> str | None:
    """The profile that the stack's tuning command applied; a reboot since has undone it."""
    boot = read_line("/proc/sys/kernel/random/boot_id")
    return read_line(in_dir("tuning", "profile")) if boot == read_line(in_dir("tuning", "boot")) else None


def interfaces() -> list[dict[str, Any]]:
    """All but loopback. MTU and qdisc as `ip` tells them, driver and offloads as `ethtool -i` and `-k` would."""
    from offloads import offloads

    links = json_output(["ip", "-j", "link", "show"])
    if not isinstance(links, list):
        links = [{"ifname": name} for _, name in socket.if_nameindex()]
    return [
        {
            "name": link["ifname"],
            "mtu": link.get("mtu"),
            "driver": driver(link["ifname"]),
            "qdisc": link.get("qdisc"),
            "offloads": offloads(link["ifname"]),
        }
        for link in links
        if link.get("ifname") not in (None, "lo")
    ][:64]


def driver(interface: str) -> str | None:
    """Asks the kernel (ETHTOOL_GDRVINFO): sysfs may show another network namespace's interfaces."""
    import array
    import struct

    siocethtool, getdrvinfo, driver_field = 0x8946, 0x3, slice(4, 36)
    info = array.array("B", struct.pack("=I192x", getdrvinfo))
    request = struct.pack("16sP16x", interface.encode(), info.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            fcntl.ioctl(sock, siocethtool, request)
        except OSError:  # a tunnel, say, has no driver
            return None
    return info.tobytes()[driver_field].split(b"\0")[0].decode("ascii", "replace") or None


def tool_versions() -> dict[str, str]:
    versions = {"python3": ".".join(map(str, sys.version_info[:3]))}
    for name, argv in VERSION_COMMANDS.items():
        match = re.search(r"\d+\.\d+(?:\.\d+)*", output_of(argv) or "")
        if match:
            versions[name] = match.group(0)
    return versions


# --- serve: the daemon -------------------------------------------------------------------------------------


def serve() -> None:
    """usage: agent.py serve

    The daemon, in the foreground, as the last `prepare` configured it. Ended by SIGTERM, with all it started.
    """
    config = read_json(in_dir("config.json"))
    if config is None:
        raise AgentError("this host was never prepared: run `agent.py prepare` first")
    lock = open_lock(in_dir("daemon.lock"))
    if not wait_until(lambda: try_lock(lock), 1):  # somebody may be testing it just now
        raise AgentError("a daemon is already running in this directory")
    digest = current_digest()
    write_file(in_dir("daemon.json"), encode({"pid": os.getpid(), "digest": digest}))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    services = [Service(name, port, argv) for name, port, argv in wanted_services(config)]
    sampler = Sampler(in_dir("windows"))
    try:
        server = ControlServer(config["ports"]["agent"], read_secret(), digest, sampler, services)
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


def wanted_services(config: dict[str, Any]) -> list[tuple[str, int, list[str]]]:
    """What an end of a benchmark runs: name, port and command line of each."""
    import ntttcp

    if config.get("role") != "server":
        return ntttcp.receivers(config)
    ports = config["ports"]
    services = [
        (
            "connect sink",
            ports["connect"],
            [sys.executable, AGENT_FILE, "sink", "--port", str(ports["connect"])],
        ),
        ("NAT responder", ports["nat"], nat_responder(ports)),
    ]
    if find_executable("iperf3"):
        services.append(("iperf3", ports["iperf3"], ["iperf3", "-s", "-p", str(ports["iperf3"])]))
    if find_executable("sockperf"):
        sockperf = ["sockperf", "server", "-p", str(ports["sockperf"])]
        services += [
            ("sockperf TCP", ports["sockperf"], [*sockperf, "--tcp"]),
            ("sockperf UDP", ports["sockperf"], sockperf),
        ]
    return services + ntttcp.receivers(config)


def nat_responder(ports: dict[str, int]) -> list[str]:
    program = [sys.executable, in_dir("nat_responder.py")]
    return [*program, "--port", str(ports["nat"]), "--other-port", str(ports["natOther"])]


def log(text: str) -> None:
    """Writes to stderr, which is the daemon's log: emptied when it grows too long."""
    try:
        if os.fstat(2).st_size > MAX_LOG_BYTES:
            os.ftruncate(2, 0)
        os.write(2, f"{iso_now()} {text}\n".encode("utf-8", "replace"))
    except OSError:  # a full disk must not end the daemon
        pass


class Service:
    """A program that is started again whenever it ends, with growing pauses where it ends at once."""

    MIN_PAUSE = 0.1
    MAX_PAUSE = 5.0

    def __init__(self, name: str, port: int, argv: list[str]) -> None:
        import threading

        self.name = name
        self.port = port
        self.argv = argv
        self.problem: str | None = None
        self.process: Any = None
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._supervise, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def terminate(self) -> None:
        """Asks the program to end, for good."""
        self._stopping.set()
        with self._lock:
            if self.process is not None:
                signal_group(self.process.pid, signal.SIGTERM)

    def join(self) -> None:
        """Waits for the end of program and supervisor; sockperf, for one, may ignore being asked."""
        process = self.process
        if process is not None and not wait_until(lambda: process.poll() is not None, 0.5):
            signal_group(process.pid, signal.SIGKILL)
        self._thread.join(1)

    def status(self) -> dict[str, Any]:
        process = self.process
        listening = process is not None and process.poll() is None and listens(process.pid, self.port)
        return {"name": self.name, "port": self.port, "listening": listening, "problem": self.problem}

    def _supervise(self) -> None:
        pause = self.MIN_PAUSE
        while not self._stopping.is_set():
            started = time.monotonic()
            self.problem = self._run_once()
            if self._stopping.is_set():
                return
            log(f"{self.name} {self.problem}")
            pause = (
                self.MIN_PAUSE
                if time.monotonic() - started > self.MAX_PAUSE
                else min(2 * pause, self.MAX_PAUSE)
            )
            self._stopping.wait(pause)

    def _run_once(self) -> str:
        """Runs the program to its end; returns how it ended, with its last words."""
        import subprocess

        with self._lock:
            if self._stopping.is_set():
                return "stopped"
            try:
                self.process = subprocess.Popen(
                    self.argv,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env=environment("serve"),
                    start_new_session=True,
                )
            except OSError as error:
                return f"does not start: {reason(error)}"
        tail = b""
        for data in iter(lambda: self.process.stdout.read1(65536), b""):
            tail = (tail + data)[-500:]
        code = self.process.wait()
        self.process.stdout.close()
        words = " ".join(tail.decode("utf-8", "replace").split())
        return f"ended with status {code}" + (f": {words}" if words else "")


def listens(pid: int, port: int) -> bool:
    """Whether that very process has the port open: asking by connecting would start a test in iperf3."""
    sockets = set()
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            try:
                sockets.add(os.readlink(f"/proc/{pid}/fd/{fd}"))
            except FileNotFoundError:
                pass
    except OSError:
        return False
    tcp_listen, udp_unconnected = "0A", "07"
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for row in (read_file(f"/proc/{pid}/net/{table}") or b"").decode().splitlines()[1:]:
            fields = row.split()
            if int(fields[1].rsplit(":", 1)[1], 16) == port and fields[3] in (tcp_listen, udp_unconnected):
                if f"socket:[{fields[9]}]" in sockets:
                    return True
    return False


class Sampler:
    """Samples the host a second, in windows: sysstat's collector writes a file, sadf reads it at the end."""

    COLLECTORS = (
        "/usr/lib/sysstat/sadc",
        "/usr/lib64/sa/sadc",
        "/usr/lib/sa/sadc",
        "/usr/libexec/sysstat/sadc",
    )

    def __init__(self, directory: str) -> None:
        import threading

        self._directory = directory
        self._lock = threading.Lock()
        self._windows: dict[str, Window] = {}
        self._count = 0
        os.makedirs(directory, mode=0o700, exist_ok=True)
        for name in os.listdir(directory):
            os.unlink(os.path.join(directory, name))

    def start(self, name: str, max_seconds: float) -> None:
        """Opens a window; one of the same name starts again. Raises AgentError where it cannot."""
        collector = find_executable("sadc") or next(filter(os.path.exists, self.COLLECTORS), None)
        if collector is None or find_executable("sadf") is None:
            raise AgentError("sysstat is not installed (no sadc or no sadf)")
        with self._lock:
            for old in [key for key, window in self._windows.items() if key == name or window.is_over()]:
                self._windows.pop(old).discard()
            if len(self._windows) >= MAX_WINDOWS:
                raise AgentError(f"{MAX_WINDOWS} windows are open already")
            self._count += 1
            self._windows[name] = Window(
                collector, os.path.join(self._directory, str(self._count)), max_seconds
            )

    def stop(self, name: str) -> dict[str, Any]:
        """Closes a window; returns its figures, CPU null and why where there are none."""
        with self._lock:
            window = self._windows.pop(name, None)
        if window is None:
            raise AgentError("no such window: it was never started, or the agent has been restarted since")
        return window.finish()

    def close(self) -> None:
        with self._lock:
            for window in self._windows.values():
                window.discard()
            self._windows.clear()


class Window:
    """One collector process and its file. It ends by itself when nobody comes for it."""

    def __init__(self, collector: str, file: str, max_seconds: float) -> None:
        import resource
        import subprocess

        import cpu_time
        from network_usage import NetworkWindow

        self._file = file
        self._cpu_time = cpu_time.read()
        self._allowances = allowances()
        self._network = NetworkWindow(link_statistics(), max_seconds + 60)
        self._ends = time.monotonic() + max_seconds + 60
        # SNMP: sysstat's group that has TCP's counters.
        self._process = subprocess.Popen(
            [collector, "-S", "SNMP", "1", str(int(max_seconds) + 2), file],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment("serve"),
        )
        try:
            resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (MAX_WINDOW_BYTES, MAX_WINDOW_BYTES))
        except OSError:  # it has ended already; the window's end tells
            pass

    def is_over(self) -> bool:
        return time.monotonic() > self._ends

    def discard(self) -> None:
        self._network.discard()
        self._end()
        self._delete()

    def finish(self) -> dict[str, Any]:
        import cpu_time

        network = self._network.read(link_statistics())  # first: what follows takes time
        cpu_time_end = cpu_time.read()
        self._end()
        try:
            document = json_output(
                ["sadf", "-j", self._file, "--", "-u", "ALL", "-n", "DEV,EDEV,TCP,ETCP"], 30
            )
            cpu = cpu_usage(document)
            problem = "no sample: the case took less than a second" if cpu is None else None
            network["series"] = self._series(document, network)
            return {
                "cpu": cpu,
                "network": network,
                "problem": problem,
                "cpuTime": {"start": self._cpu_time, "end": cpu_time_end},
                **self._exceeded(),
            }
        except (KeyError, TypeError, IndexError):
            raise AgentError("sadf printed no CPU statistics") from None
        finally:
            self._delete()

    def _series(self, document: Any, totals: dict[str, Any]) -> list[dict[str, Any]]:
        from network_usage import thin_network

        series = self._network.series(document, totals)
        return thin_network(series, -(-len(series) // MAX_WINDOW_SAMPLES))

    def _exceeded(self) -> dict[str, Any]:
        """What the allowance counters rose by; nothing where the host has none."""
        if not self._allowances:
            return {}
        before = self._allowances
        return {"allowances": {name: max(0, now - before.get(name, 0)) for name, now in allowances().items()}}

    def _end(self) -> None:
        self._process.terminate()
        if not wait_until(lambda: self._process.poll() is not None, 1):
            self._process.kill()
            self._process.wait()

    def _delete(self) -> None:
        try:
            os.unlink(self._file)
        except FileNotFoundError:
            pass


def link_statistics() -> Any:
    """Interfaces with their counters, and how they are stacked; None where `ip` cannot tell."""
    return json_output(["ip", "-s", "-d", "-j", "link", "show"])


def allowances() -> dict[str, int]:
    """Packets that AWS queued or dropped beyond the instance's allowances, of all ENA interfaces."""
    totals: dict[str, int] = {}
    for _, name in socket.if_nameindex():
        if driver(name) == "ena":
            for counter, value in allowance_counters(output_of(["ethtool", "-S", name]) or "").items():
                totals[counter] = totals.get(counter, 0) + value
    return totals


def allowance_counters(statistics: str) -> dict[str, int]:
    """Of `ethtool -S`: bw_in_, bw_out_, pps_, conntrack_ and linklocal_allowance_exceeded."""
    found = re.findall(r"^ *(\w+_allowance_exceeded): (\d+)$", statistics, re.MULTILINE)
    return {name: int(value) for name, value in found}


class ControlServer:
    """The control port. A thread a connection; the oldest silent one makes room for a new one."""

    def __init__(
        self, port: int, secret: bytes, digest: str, sampler: Sampler, services: list[Service]
    ) -> None:
        import threading

        from rendezvous import Meetings

        self._secret = secret
        self._digest = digest
        self._sampler = sampler
        self._services = services
        self._meetings = Meetings()
        self._lock = threading.Lock()
        self._silent: dict[socket.socket, None] = {}  # in order of arrival
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._listener.bind(("0.0.0.0", port))
        except OSError as error:
            raise AgentError(f"control port {port}: {reason(error)}") from None
        self._listener.listen(128)

    def serve(self) -> NoReturn:
        import threading

        while True:
            try:
                connection, peer = self._listener.accept()
            except OSError as error:
                log(f"accept: {reason(error)}")
                time.sleep(0.05)
                continue
            with self._lock:
                if len(self._silent) >= MAX_CONNECTIONS:
                    self._evict()
                self._silent[connection] = None
            # The address as accept() tells it: a look-up of its name could hang on a stranger's resolver.
            try:
                threading.Thread(target=self._handle, args=(connection, peer[0]), daemon=True).start()
            except RuntimeError as error:  # no more threads
                log(f"connection of {peer[0]} refused: {error}")
                self._forget(connection)
                connection.close()

    def _evict(self) -> None:
        oldest = next(iter(self._silent))
        del self._silent[oldest]
        try:
            oldest.shutdown(socket.SHUT_RDWR)  # wakes its thread, which closes it
        except OSError:
            pass

    def _handle(self, connection: socket.socket, peer: str) -> None:
        try:
            with connection:
                self._talk(Channel(connection, CONNECTION_SECONDS), peer)
        except (OSError, ValueError):  # gone, silent too long, or evicted: nobody to tell
            pass
        finally:
            self._forget(connection)

    def _talk(self, channel: Channel, peer: str) -> None:
        nonce = os.urandom(16).hex()
        channel.send({"version": PROTOCOL_VERSION, "nonce": nonce})
        try:
            request = channel.receive(MAX_REQUEST_BYTES)
            if request.get("op") == "whoami":
                reply = {"sourceIp": peer}
            else:
                authentic = self._authenticate(request, nonce)
                self._forget(channel.sock)  # it has spoken: not to be evicted while it is served
                if authentic.get("op") == "rendezvous":
                    reply = self._meetings.join(authentic, lambda: has_hung_up(channel.sock))
                else:
                    reply = self._answer(authentic)
        except (ValueError, AgentError) as error:
            reply = {"error": str(error)}
        # A rendezvous may have taken longer than a connection otherwise lives.
        channel.deadline = time.monotonic() + CONNECTION_SECONDS
        channel.send(reply)

    def _forget(self, connection: socket.socket) -> None:
        with self._lock:
            self._silent.pop(connection, None)

    def _authenticate(self, message: dict[str, Any], nonce: str) -> dict[str, Any]:
        import hmac

        text, given = message.get("request"), message.get("mac")
        if not isinstance(text, str) or not isinstance(given, str):
            raise AgentError("expected whoami, or an authenticated request")
        wanted = request_mac(self._secret, nonce, text)
        if not hmac.compare_digest(wanted.encode(), given.encode("utf-8", "replace")):
            raise AgentError("not authentic: the caller's secret is not this host's")
        request = json.loads(text)
        if not isinstance(request, dict):
            raise AgentError("expected an object as request")
        return request

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        operation = request.get("op")
        if operation == "status":
            return {
                "digest": self._digest,
                "services": [service.status() for service in self._services],
                "waiting": self._meetings.waiting(),
            }
        name: Any = request.get("id")
        if operation == "observe-start":
            seconds: Any = request.get("maxSeconds")
            if not is_text(name) or len(name) > 200 or not is_number(seconds, 0, MAX_WINDOW_SECONDS):
                raise AgentError(f"observe-start: expected id and maxSeconds, 0 to {MAX_WINDOW_SECONDS}")
            self._sampler.start(name, seconds)
            return {"ok": True}
        if operation == "observe-stop":
            return self._sampler.stop(name if is_text(name) else "")
        raise AgentError(f"unknown operation {brief(operation)}")


def has_hung_up(sock: socket.socket) -> bool:
    """Whether a caller that waits for an answer has closed its connection. Does not block."""
    import select

    # Python waits for a socket that has a time-out before it calls recv, MSG_DONTWAIT or not.
    readable = select.poll()
    readable.register(sock, select.POLLIN)
    try:
        return bool(readable.poll(0)) and sock.recv(1, socket.MSG_PEEK) == b""
    except OSError:
        return True


def sink(arguments: list[str]) -> None:
    """usage: agent.py sink --port PORT

    Accepts connections and closes them at once: the far end of `connect`.
    """
    port = int(options(arguments, {"port": (None, 1, 65535)})["port"])
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("0.0.0.0", port))
    except OSError as error:
        raise AgentError(f"port {port}: {reason(error)}") from None
    listener.listen(4096)
    while True:
        try:
            # An orderly close: a reset could reach the prober before it has seen its connection come up.
            listener.accept()[0].close()
        except OSError:  # gone already, or out of descriptors
            time.sleep(0.001)


# --- run: one measurement ----------------------------------------------------------------------------------
#
# runs/<key>/lock is held by the process that measures, the runner, for as long as it lives; report.json is
# there once it has finished. Everybody else waits on the lock, so that losing a waiter costs nothing.


def run() -> None:
    """usage: agent.py run < spec.json

    Measures once and prints the report. A second call for the same key, also while the first is under way,
    prints the same report. Exit status 0 also where the measurement failed: that is a result. Exit status 1
    where the runner was killed: the next call measures afresh.
    """
    spec = check_run(read_stdin())
    read_secret()
    directory = in_dir("runs", spec["key"])
    os.makedirs(directory, mode=0o700, exist_ok=True)
    report = os.path.join(directory, "report.json")
    lock = open_lock(os.path.join(directory, "lock"))
    if try_lock(lock):
        if not os.path.exists(report):
            clear_remains(directory, spec["key"])
            if os.fork() == 0:
                be_runner(spec, directory)  # inherits the lock; does not return
    os.close(lock)
    wait_for_runner(directory, run_budget(spec))
    content = read_file(report)
    if content is None:
        kill_marked(f"run:{spec['key']}")
        words = last_words(os.path.join(directory, "runner.log"))
        raise AgentError(
            f"the runner of {spec['key']} was ended before it had a report: call again to measure afresh"
            + (f" ({words})" if words else "")
        )
    sys.stdout.buffer.write(content + b"\n")


def run_budget(spec: dict[str, Any]) -> float:
    """Seconds after which a run must be over, whatever happens."""
    retry = spec["retry"]
    attempt = spec["timeoutSeconds"] + 2 * KILL_AFTER_SECONDS + OBSERVE_SECONDS + retry["delaySeconds"]
    waits = 2 * (spec["rendezvous"]["waitSeconds"] + OBSERVE_SECONDS) if spec.get("rendezvous") else 0
    return spec["pauseSeconds"] + retry["attempts"] * attempt + waits + RUN_MARGIN_SECONDS


def wait_for_runner(directory: str, seconds: float) -> None:
    """Blocks until nobody measures in this directory."""

    def give_up(*_: Any) -> NoReturn:
        raise AgentError(
            f"the runner in {directory} is still busy after {seconds:g} s, longer than it may be"
        )

    lock = open_lock(os.path.join(directory, "lock"))
    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    fcntl.flock(lock, fcntl.LOCK_SH)
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.close(lock)


def clear_remains(directory: str, key: str) -> None:
    """Removes what a killed runner left: its tool, still loading the path, and half-written files."""
    names = [name for name in os.listdir(directory) if name != "lock"]
    if names:
        kill_marked(f"run:{key}")
    for name in names:
        os.unlink(os.path.join(directory, name))


def be_runner(spec: dict[str, Any], directory: str) -> NoReturn:
    """The detached process that measures: in a session of its own, nothing open that SSH would wait for."""
    status = 1
    try:
        os.setsid()
        os.chdir(os.path.dirname(AGENT_DIR))
        null = os.open(os.devnull, os.O_RDWR)
        words = os.open(os.path.join(directory, "runner.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for standard, fd in ((0, null), (1, null), (2, words)):
            os.dup2(fd, standard)
        write_file(os.path.join(directory, "runner.pid"), str(os.getpid()).encode())
        write_file(os.path.join(directory, "spec.json"), encode(spec))
        report = fit(measure(spec, directory))
        write_file(os.path.join(directory, "report.json"), report)
        status = 0
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    finally:
        prune_runs()
        os._exit(status)


def prune_runs() -> None:
    """Keeps the newest runs only, or the raw output of years would fill the disk."""
    try:
        runs = [in_dir("runs", name) for name in os.listdir(in_dir("runs"))]
        for directory in sorted(runs, key=os.path.getmtime)[:-KEPT_RUNS]:
            if not is_locked(os.path.join(directory, "lock")):
                for name in os.listdir(directory):
                    os.unlink(os.path.join(directory, name))
                os.rmdir(directory)
    except OSError:  # another runner was faster
        pass


def measure(spec: dict[str, Any], directory: str) -> dict[str, Any]:
    """Waits, proves the path, samples the hosts, runs the tool; returns the report."""
    time.sleep(spec["pauseSeconds"])
    report: dict[str, Any] = {
        "version": PROTOCOL_VERSION,
        "key": spec["key"],
        "failure": None,
        "attempts": [],
        "exitCode": None,
        "timedOut": False,
        "stdout": "",
        "stderr": "",
        "sourceIp": None,
        "hosts": [],
        "rawFile": None,
        "startedAfterMs": None,
    }
    revive_daemon()
    report["sourceIp"], report["failure"] = probe_path(spec["path"])
    report["failure"] = gather(spec, report["failure"])
    if report["failure"] is not None:
        return report
    problems, raw_file, error_file = run_attempts(spec, directory, report)
    report["hosts"] = observe_stop(spec, problems)
    if report["failure"] is not None:
        return report
    report["rawFile"] = raw_file
    report["stderr"] = last(read_ends(error_file, MAX_STDERR_BYTES), MAX_STDERR_BYTES)
    report["stdout"], problem = reduce_output(raw_file, spec["reducer"])
    report["failure"] = failure_of(spec, report, problem)
    return report


def failure_of(spec: dict[str, Any], report: dict[str, Any], problem: str | None) -> dict[str, str] | None:
    """What the agent itself knows to be wrong; everything else is for the tool's parser."""
    if report["timedOut"]:
        return failure(
            "timeout", f"the tool was still running after {spec['timeoutSeconds']:g} s and was ended"
        )
    command_not_found = 127
    if report["exitCode"] == command_not_found:
        return failure(
            "tool-missing",
            f"the host cannot run the tool: {report['stderr'].strip() or 'command not found'}",
        )
    return failure("bad-output", problem) if problem is not None else None


def revive_daemon() -> None:
    """Starts this host's daemon again if it was killed: nothing else would before the next `prepare`."""
    config = read_json(in_dir("config.json"))
    if config is not None and not is_locked(in_dir("daemon.lock")):
        kill_marked("serve")
        start_daemon()
        try:
            wait_for_daemon(config)
        except AgentError as error:  # without it only the client's CPU is unknown
            os.write(2, f"{error}\n".encode("utf-8", "replace"))


def probe_path(path: dict[str, Any]) -> tuple[str | None, dict[str, str] | None]:
    """The source address that the server sees, and what is wrong with it."""
    server = f"{path['address']}:{path['port']}"
    problem = ""
    for attempt in range(PATH_TRIES):
        if attempt > 0:
            time.sleep(PATH_PAUSE_SECONDS)
        try:
            source: Any = ask(path["address"], path["port"], {"op": "whoami"}, PATH_TRY_SECONDS).get(
                "sourceIp"
            )
            if not is_text(source) or len(source) > 64:
                raise ValueError("an answer without a source address: no egress-bench agent")
            return source, path_mismatch(path, source, server)
        except (OSError, ValueError, AgentError) as error:
            problem = reason(error)
    return None, failure(
        "no-route", f"no answer from the server's agent at {server} in {PATH_TRIES} tries: {problem}"
    )


def path_mismatch(path: dict[str, Any], source: str, server: str) -> dict[str, str] | None:
    expected = ", ".join(path["expected"])
    if path["expected"] and source not in path["expected"]:
        return failure(
            "path-mismatch",
            f"the server at {server} saw {source}, expected {expected}: the traffic goes another way",
        )
    if source in path["forbidden"]:
        return failure(
            "path-mismatch",
            f"the server at {server} saw {source}, which proves another path than the one to be measured",
        )
    return None


def gather(spec: dict[str, Any], failed: dict[str, str] | None) -> dict[str, str] | None:
    """Waits until all members of a rendezvous are there, or tells them that this one cannot take part.

    Returns what keeps this one from measuring: `failed`, or that the others did not come. Hosts are sampled only
    after it, or the wait would count as idle; the start itself is another rendezvous.
    """
    if spec.get("rendezvous") is None:
        return failed
    if failed is not None:
        try:
            meet(spec, "gather", failed["message"])
        except (OSError, ValueError, AgentError):  # they will find out
            pass
        return failed
    return meeting_failure(spec, "gather")[1]


def meet(spec: dict[str, Any], step: str, problem: str | None = None) -> float:
    """Waits for the other members. Returns when they were released, on the monotonic clock of this host."""
    place = spec["rendezvous"]
    request = {
        "op": "rendezvous",
        "id": f"{place['id']} {step}",
        "count": place["count"],
        "member": place["member"],
        "maxSeconds": place["waitSeconds"],
        "problem": problem and brief(problem),
    }
    seconds = place["waitSeconds"] + OBSERVE_SECONDS
    reply = ask(place["address"], place["port"], request, seconds, read_secret())
    ago = reply.get("releasedSecondsAgo")
    return time.monotonic() - (ago if is_number(ago, 0, seconds) else 0)


def meeting_failure(spec: dict[str, Any], step: str) -> tuple[float | None, dict[str, str] | None]:
    """When the members were released, and why they were not."""
    place = spec["rendezvous"]
    try:
        return meet(spec, step), None
    except AgentError as error:
        return None, failure("host-lost", f"the pairs did not start together: {error}")
    except (OSError, ValueError) as error:
        where = f"{place['address']}:{place['port']}"
        return None, failure("host-lost", f"no answer from the rendezvous at {where}: {reason(error)}")


def run_attempts(
    spec: dict[str, Any], directory: str, report: dict[str, Any]
) -> tuple[list[str | None], str, str]:
    """Runs the tool until its output gives no reason to retry; records every attempt.

    Returns why a host is not sampled (None where it is), and the last attempt's output files. The hosts'
    windows start with each attempt, or the pauses between would count as idle.
    """
    retry = spec["retry"]
    for attempt in range(1, retry["attempts"] + 1):
        raw_file = os.path.join(directory, f"stdout-{attempt}")
        error_file = os.path.join(directory, f"stderr-{attempt}")
        problems = observe_start(spec)
        released = None
        if spec.get("rendezvous") is not None:
            released, report["failure"] = meeting_failure(spec, "start")
            if report["failure"] is not None:
                break
        started = iso_now()
        exit_code, timed_out, spawned = run_tool(spec, raw_file, error_file)
        if released is not None:
            report["startedAfterMs"] = round((spawned - released) * 1000, 1)
        report["attempts"].append(
            {"startedAt": started, "finishedAt": iso_now(), "exitCode": exit_code, "timedOut": timed_out}
        )
        report["exitCode"], report["timedOut"] = exit_code, timed_out
        text = read_ends(raw_file, RETRY_TEXT_BYTES) + "\n" + read_ends(error_file, RETRY_TEXT_BYTES)
        if timed_out or not any(re.search(pattern, text) for pattern in retry["patterns"]):
            break
        if attempt < retry["attempts"]:
            time.sleep(retry["delaySeconds"])
    return problems, raw_file, error_file


def run_tool(spec: dict[str, Any], raw_file: str, error_file: str) -> tuple[int, bool, float]:
    """The tool's exit status (128 + signal, as a shell tells it), whether it outlasted its time, and when it
    started on the monotonic clock."""
    import resource

    # SIGCHLD stays blocked, so that waiting for it with a time-out cannot miss it.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_RAW_BYTES, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    create = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    pid = os.posix_spawn(
        "/bin/sh",
        ["sh", "-c", spec["command"]],
        environment(f"run:{spec['key']}"),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, raw_file, create, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, error_file, create, 0o600),
        ],
        setpgroup=0,
        setsigmask=[],
        setsigdef=[signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGHUP, signal.SIGTERM],
    )
    spawned = time.monotonic()
    timed_out = not wait_for_child(pid, spec["timeoutSeconds"])
    if timed_out:
        signal_group(pid, signal.SIGTERM)
        wait_for_child(pid, KILL_AFTER_SECONDS)
    # Until its leader is reaped the group's number cannot be another's.
    signal_group(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    exit_code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
    return exit_code, timed_out, spawned


def wait_for_child(pid: int, seconds: float) -> bool:
    """Whether the child has ended within the time; it is left to be reaped."""
    deadline = time.monotonic() + seconds
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        left = deadline - time.monotonic()
        if left <= 0 or signal.sigtimedwait([signal.SIGCHLD], left) is None and time.monotonic() >= deadline:
            return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return True


# --- Sampling of the hosts, as the runner asks for it ------------------------------------------------------


def observe_start(spec: dict[str, Any]) -> list[str | None]:
    """Opens a window on every host; returns why one has none, None where it has."""
    request = {
        "op": "observe-start",
        "id": spec["key"],
        "maxSeconds": min(spec["timeoutSeconds"] + RUN_MARGIN_SECONDS, MAX_WINDOW_SECONDS),
    }
    return [problem for _, problem in ask_all(spec["observe"], request)]


def observe_stop(spec: dict[str, Any], problems: list[str | None]) -> list[dict[str, Any]]:
    """Closes the windows; every host is in the report, null in it what could not be sampled."""
    import cpu_time
    from network_usage import checked_usage

    sampled = [host for host, problem in zip(spec["observe"], problems) if problem is None]
    answers = iter(ask_all(sampled, {"op": "observe-stop", "id": spec["key"]}))
    usages = []
    for host, problem in zip(spec["observe"], problems):
        cpu, reply = None, None
        if problem is None:
            reply, problem = next(answers)
            cpu = reply.get("cpu") if reply is not None else None
            if is_cpu_usage(cpu):
                cpu = {
                    **{kind: cpu[kind] for kind in MEAN_KINDS},
                    "series": [{key: entry[key] for key in ("at", *SERIES_KINDS)} for entry in cpu["series"]],
                }
            else:
                cpu, problem = (
                    None,
                    problem or brief((reply or {}).get("problem") or "an answer without CPU figures"),
                )
        usage = {
            "host": host["host"],
            "role": host["role"],
            "cpu": cpu,
            "network": checked_usage((reply or {}).get("network")),
            "problem": problem,
        }
        exceeded, times = (reply or {}).get("allowances"), cpu_time.checked((reply or {}).get("cpuTime"))
        if times is not None:
            usage["cpuTime"] = times
        if are_allowances(exceeded):
            usage["allowances"] = exceeded
        usages.append(usage)
    return usages


def are_allowances(counters: Any) -> bool:
    return (
        isinstance(counters, dict)
        and 0 < len(counters) <= 16
        and all(is_text(name) and len(name) <= 64 for name in counters)
        and all(is_integer(value, 0, 2**63) for value in counters.values())
    )


def ask_all(
    hosts: list[dict[str, Any]], request: dict[str, Any]
) -> list[tuple[dict[str, Any] | None, str | None]]:
    """Asks all hosts at once: a reply or a problem each."""
    import threading

    secret = read_secret()
    outcomes: list[Any] = [(None, "no answer")] * len(hosts)

    def ask_one(index: int, host: dict[str, Any]) -> None:
        try:
            outcomes[index] = (ask(host["address"], host["port"], request, OBSERVE_SECONDS, secret), None)
        except (OSError, ValueError, AgentError) as error:
            problem = f"agent of {host['host']} at {host['address']}:{host['port']}: {reason(error)}"
            outcomes[index] = (None, brief(problem))

    threads = [threading.Thread(target=ask_one, args=item, daemon=True) for item in enumerate(hosts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


# --- stop, main --------------------------------------------------------------------------------------------


def stop() -> None:
    """usage: agent.py stop

    Ends the daemon, measurements under way and everything they started. Reads no stdin.
    """
    stopped = False
    runs = in_dir("runs")
    for key in sorted(os.listdir(runs)) if os.path.isdir(runs) else []:
        pid = read_file(os.path.join(runs, key, "runner.pid"))
        if pid is not None and is_locked(os.path.join(runs, key, "lock")):
            os.kill(int(pid), signal.SIGKILL)
            kill_marked(f"run:{key}")
            stopped = True
    stopped = stop_daemon() or stopped
    print_document({"version": PROTOCOL_VERSION, "stopped": stopped})


def main() -> int:
    os.umask(0o077)
    plain = {"prepare": prepare, "run": run, "stop": stop, "serve": serve}
    with_options = {"connect": connect, "sink": sink}
    name, arguments = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    command = plain.get(name) or with_options.get(name)
    if command is None:
        if name in ("--help", "-h"):
            print(__doc__)
            return 0
        known = ", ".join([*plain, *with_options])
        print(f"agent.py: expected a sub-command ({known}), got {name or 'nothing'}", file=sys.stderr)
        return 2
    if arguments and arguments[0] in ("--help", "-h"):
        print(re.sub(r"^ {4}", "", command.__doc__ or "", flags=re.MULTILINE).rstrip())
        return 0
    try:
        if name in plain and arguments:
            raise BadInput(f"{arguments[0]}: expected no argument")
        command(arguments) if name in with_options else plain[name]()
        sys.stdout.flush()
        return 0
    except (BadInput, AgentError) as error:
        print(f"agent.py {name}: {error}", file=sys.stderr)
        return 2 if isinstance(error, BadInput) else 1
    except OSError as error:
        print(f"agent.py {name}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

"""Looks at a host that egress-bench did not make, claims it for a stack, and leaves it as it was.

usage: python3 - look|claim|leave JSON. Needs Python 3.8 or later and says so on an older one.
JSON: `owner` of the claim, `role`; `ports` that the server's tools take, as {"tcp": [[first, last]], "udp": ...};
`packages` to install, `mayInstall`; `busyBitsPerSecond` of other traffic that a server may carry, null: any.
"""

import glob
import json
import os
import pwd
import shutil
import subprocess
import sys
import time

AGENT = os.path.join(os.path.expanduser("~"), ".egress-bench")
PACKAGE = AGENT + "-agent.pyz"
OWNER = os.path.join(AGENT, "owner")
INSTALLED = os.path.join(AGENT, "installed")
UNIT = "/etc/systemd/system/egress-bench-agent.service"
# The agent takes 1 MB, plus each case's raw output.
NEEDED_BYTES = 20_000_000
ESTABLISHED_OR_LISTENING = {"tcp": ("01", "0A"), "udp": ("01", "07")}

# Shells that understand a benchmark's commands; csh and fish do not.
SHELLS = ("sh", "ash", "bash", "busybox", "dash", "ksh", "ksh93", "mksh", "yash", "zsh")

WITHOUT_ROOT = (
    "no root here, and no sudo without a password, so:",
    "without root the agent does not start again after a reboot; pulumi up starts it",
    "without root the system's own package runs are not held back during a case",
    "without root the kernel's counters of refused and dropped flows may be missing",
)


def main(verb, options):
    {"look": look, "claim": claim, "leave": leave}[verb](options)


def look(options):
    """Changes nothing. Ends with a reason where this host must not, or cannot, take part."""
    if sys.version_info < (3, 8):
        fail("Python {}.{} is too old: the host agent needs 3.8 or later".format(*sys.version_info[:2]))
    if not sys.platform.startswith("linux"):
        fail("only Linux hosts can be measured; this is " + sys.platform)
    refuse_shell()
    refuse_start()
    if os.path.islink(AGENT):
        fail("{} is a symbolic link, which would not be left as it is: remove it, or log in as another".format(AGENT))
    holder = owner()
    if holder not in (None, options["owner"]):
        whose = "stack " + holder.split()[0] if holder else "something else"
        fail("{} belongs to {}: destroy that stack first, or remove the directory if it is gone".format(AGENT, whose))
    refuse_other_user()
    if not os.access(os.path.expanduser("~"), os.W_OK):
        fail("the home directory of user {} is not writable".format(os.environ.get("USER", os.getuid())))
    free = shutil.disk_usage(os.path.expanduser("~")).free
    if free < NEEDED_BYTES:
        fail(
            "the home directory has {:.1f} MB left, and the agent with its output needs {:.0f} MB: make room, "
            "or log in as a user who has some".format(free / 1e6, NEEDED_BYTES / 1e6)
        )
    if options["role"] == "server":
        if holder is None:
            refuse_taken_ports(options["ports"])
        refuse_busy(options["busyBitsPerSecond"])
    print(json.dumps({"root": has_root(), "python": ".".join(map(str, sys.version_info[:3]))}))


def claim(options):
    """Records which stack claims the host, and installs permitted packages."""
    if owner() not in (None, options["owner"]):
        fail(AGENT + " has been claimed by another stack in the meantime")
    os.makedirs(AGENT, mode=0o700, exist_ok=True)
    write(OWNER, options["owner"])
    write(os.path.join(AGENT, "notes"), "" if has_root() else "\n".join(WITHOUT_ROOT) + "\n")
    if options["mayInstall"]:
        install(options["packages"])


def leave(options):
    """Stops and removes everything that was started, written or installed; not where another stack has the host."""
    holder = owner()
    if holder is None or holder == options["owner"]:
        agent = os.path.join(AGENT, "agent.py")
        stop = [sys.executable, agent, "stop"]
        if os.path.exists(agent) and run(stop, check=False) is None:
            # A full disk keeps the agent from ending in order, and raw output fills disks.
            remove(os.path.join(AGENT, "runs"))
            run(stop)
        remove_unit()
        remove_packages()
        # The claim is removed last, so that an interrupted removal is repeated.
        for name in os.listdir(AGENT) if os.path.isdir(AGENT) else []:
            if name != "owner":
                remove(os.path.join(AGENT, name))
        remove(PACKAGE)
        remove(AGENT)


def owner():
    """The stack that has this host; "": something else has its directory; None: no stack has it."""
    if os.path.islink(AGENT):
        return ""
    try:
        with open(OWNER) as file:
            return file.read()
    except OSError:
        return "" if os.path.isdir(AGENT) and os.listdir(AGENT) else None


def refuse_shell():
    """Refuses a login shell that cannot read the commands that follow."""
    account = pwd.getpwuid(os.getuid())
    if account.pw_shell and os.path.basename(account.pw_shell) not in SHELLS:
        fail(
            "the login shell of user {} is {}, which does not read a benchmark's commands: log in as a user with "
            "bash or another POSIX shell, or change it (chsh -s /bin/sh)".format(account.pw_name, account.pw_shell)
        )


def refuse_start():
    """Refuses a shell that starts outside the home directory, where files are copied to."""
    if os.path.realpath(os.path.dirname(AGENT)) != os.getcwd():
        fail(
            "commands of user {} start in {}, not in the home directory: in the shell's files, such as ~/.bashrc, "
            "change the directory only where [ -t 1 ]".format(user_name(os.getuid()), os.getcwd())
        )


def refuse_other_user():
    """Refuses a host that another stack uses under another user: they would measure each other."""
    for file in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(file, "rb") as text:
                words = text.read().split(b"\0")
            with open(os.path.join(os.path.dirname(file), "status")) as lines:
                pids = next((line.split()[1:] for line in lines if line.startswith("NSpid:")), [])
            uid = os.stat(file).st_uid
        except OSError:  # it has ended
            continue
        # A container on this host counts as another host.
        is_here = len(pids) < 2
        if is_here and uid != os.getuid() and any(word.endswith(b"/.egress-bench/agent.py") for word in words):
            fail(
                "user {} of this host has an agent of egress-bench running: destroy that stack first, or choose "
                "another host".format(user_name(uid))
            )


def user_name(uid):
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return uid


def refuse_taken_ports(ports):
    """Refuses ports in use: a foreign server would be measured, and disturbed."""
    for protocol, ranges in ports.items():
        used = local_ports(protocol)
        taken = sorted(port for port in used if any(first <= port <= last for first, last in ranges))
        if taken:
            fail("{} port {} is in use: end what uses it, or choose another server".format(protocol, taken[0]))


def local_ports(protocol):
    ports = set()
    for table in (protocol, protocol + "6"):
        try:
            with open("/proc/net/" + table) as rows:
                for row in list(rows)[1:]:
                    fields = row.split()
                    if fields[3] in ESTABLISHED_OR_LISTENING[protocol]:
                        ports.add(int(fields[1].rsplit(":", 1)[1], 16))
        except OSError:  # no IPv6
            pass
    return ports


def refuse_busy(most):
    """Refuses a server that carries other traffic."""
    if most is None:
        return
    started, before = time.monotonic(), interface_bytes()
    time.sleep(1)
    rate = 8 * (interface_bytes() - before) / (time.monotonic() - started)
    if rate > most:
        fail(
            "it carries {:.0f} Mbit/s of other traffic, which a load test would hurt: choose another server, "
            "or set mayDisturb of this one".format(rate / 1e6)
        )


def interface_bytes():
    """Bytes received and sent, over all interfaces but loopback."""
    with open("/proc/net/dev") as table:
        rows = [row.split(":", 1) for row in list(table)[2:]]
    counts = [fields.split() for name, fields in rows if name.strip() != "lo"]
    return sum(int(fields[0]) + int(fields[8]) for fields in counts)


def install(packages):
    """Installs Debian's or Ubuntu's packages; records each before it is installed."""
    if shutil.which("apt-get") is None:
        fail("no apt-get here: install {} yourself, and leave mayInstall out".format(", ".join(packages)))
    apt = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=2"]
    wanted = ["install", "-y", "--no-install-recommends", *packages]
    simulated = [*apt, "--simulate", *wanted]
    before = run(simulated, check=False)  # None where apt's lists do not name a package yet.
    if before is not None and not new_packages(before):
        return
    if not has_root():
        fail("packages can be installed by root only: install {} yourself".format(", ".join(packages)))
    run(as_root([*apt, "update"]))
    write(INSTALLED, "\n".join(sorted({*installed(), *new_packages(run(simulated) or "")})))
    run(as_root(["env", "DEBIAN_FRONTEND=noninteractive", "NEEDRESTART_SUSPEND=1", *apt, *wanted]))


def new_packages(simulation):
    # A package that is only upgraded shows its version in brackets.
    return [row.split()[1] for row in simulation.splitlines() if row.startswith("Inst ") and row.split()[2][0] != "["]


def installed():
    try:
        with open(INSTALLED) as file:
            return file.read().split()
    except OSError:
        return []


def remove_packages():
    if installed():
        run(as_root(["dpkg", "--purge", *installed()]))


def remove_unit():
    try:
        with open(UNIT) as file:
            text = file.read()
    except OSError:
        return
    if AGENT + "/" in text:
        run(as_root(["systemctl", "disable", os.path.basename(UNIT)]), check=False)
        run(as_root(["rm", "-f", UNIT]))
        run(as_root(["systemctl", "daemon-reload"]), check=False)


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def write(path, text):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.replace(path + ".new", path)


def has_root():
    return os.geteuid() == 0 or run(as_root(["true"]), check=False) is not None


def as_root(command):
    """Runs as root. With -k, sudo leaves no time stamp in /run/sudo/ts, even where it refuses."""
    return command if os.geteuid() == 0 else ["sudo", "-kn", *command]


def run(command, check=True):
    """Output of a command. A failure ends this program, or gives None with check=False."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        if check:
            fail("{}: {}".format(" ".join(command), error))
        return None
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0:
        if check:
            fail("{} ended with status {}: {}".format(" ".join(command), done.returncode, text.strip()[-500:]))
        return None
    return text


def fail(reason):
    sys.exit("egress-bench: " + reason)


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))

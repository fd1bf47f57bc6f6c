"""https: the server for `probe http`, started by the daemon of a server."""

from __future__ import annotations

import hashlib
import os
import signal
import ssl
import subprocess

from common.errors import AgentError, reason
from common.options import PORT, options
from common.texts import brief
from daemon.control_port import certificate_proof, read_secret
from host.files import in_dir, write_file
from host.processes import environment, find_executable

# The certificate's name, which clients verify whatever address they use.
NAME = "egress-bench.test"
PROGRAMS = ("nginx", "openssl")
CERTIFICATE_DAYS = 3650

# A variable repeats the previous one ten times: nginx reads no text of more than 4096 bytes.
BODIES = "\n".join(
    f'    set $b{bytes} "{f"$b{bytes // 10}" * 10 if bytes > 1000 else "x" * bytes}";\n'
    f'    location = /{bytes} {{ return 200 "$b{bytes}"; }}'
    for bytes in (1000, 10_000, 100_000, 1_000_000)
)

CONFIGURATION = """
daemon off;
pid {directory}/nginx.pid;
worker_processes auto;
error_log stderr error;
{user}
events {{ worker_connections 16384; }}
http {{
  access_log off;
  default_type application/octet-stream;
  client_body_temp_path {directory}; proxy_temp_path {directory}; fastcgi_temp_path {directory};
  uwsgi_temp_path {directory}; scgi_temp_path {directory};
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  http2_max_concurrent_streams 1024;
  server {{
    listen 0.0.0.0:{port} ssl http2 backlog=4096;
    ssl_certificate {directory}/certificate.pem;
    ssl_certificate_key {directory}/key.pem;
    ssl_protocols TLSv1.3;
    ssl_session_tickets off;
    add_header Egress-Bench "$server_protocol $connection";
{bodies}
    location = /proof {{ return 200 "{proof}"; }}
  }}
}}
"""


def https(arguments: list[str]) -> None:
    """usage: agent.py https --port PORT

    Runs nginx with HTTP/1.1 and HTTP/2 over TLS 1.3, with a certificate made now: the far end of `probe http`. /1000,
    /10000, /100000 and /1000000 are bodies of so many bytes; /proof shows with the stack's secret that the certificate
    is this host's. Sessions are not resumed, so that each new connection has a whole handshake.
    """
    port = options(arguments, {"port": PORT})["port"]
    missing = [name for name in PROGRAMS if find_executable(name) is None]
    if missing:
        raise AgentError(f"this host lacks {', '.join(missing)}: install what provides it")
    directory = in_dir("https")
    os.makedirs(directory, exist_ok=True)
    make_certificate(directory)
    with open(f"{directory}/certificate.pem", encoding="ascii") as file:
        certificate = hashlib.sha256(ssl.PEM_cert_to_DER_cert(file.read())).hexdigest()
    configuration = CONFIGURATION.format(
        directory=directory,
        # nginx knows no group `nobody` on Debian, and needs one as root.
        user="user nobody nogroup;" if os.geteuid() == 0 else "",
        port=port,
        bodies=BODIES,
        proof=certificate_proof(read_secret(), certificate),
    )
    write_file(f"{directory}/nginx.conf", configuration.encode())
    end_with_parent()
    os.execve(  # noqa: S606
        find_executable("nginx") or "nginx",
        ["nginx", "-p", directory, "-c", f"{directory}/nginx.conf"],
        environment("serve"),
    )


def end_with_parent() -> None:
    """Ends this process with the daemon: nginx overwrites the mark that finds the daemon's programs."""
    import ctypes

    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


def make_certificate(directory: str) -> None:
    command = [
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
        *("-days", str(CERTIFICATE_DAYS), "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"),
        *("-keyout", f"{directory}/key.pem", "-out", f"{directory}/certificate.pem"),
    ]
    try:
        done = subprocess.run(command, capture_output=True, env=environment("serve"), timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AgentError(f"openssl made no certificate: {reason(error)}") from None
    if done.returncode != 0:
        words = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise AgentError(f"openssl made no certificate: {brief(words)}")

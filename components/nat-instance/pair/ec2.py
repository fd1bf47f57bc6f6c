"""EC2 moves the private address or Elastic IP and the routes to this machine, and says where they lead."""

import email.utils
import hashlib
import hmac
import http.client
import json
import os
import threading
import time
import urllib.parse
from typing import Any, Callable, Dict, List, Optional, Tuple

from run import log

ANSWER_SECONDS = 3
MOST_SECONDS = 2 * ANSWER_SECONDS
# The role's keys are renewed long before they expire.
KEYS_SECONDS = 600
# Seconds by which this clock lags EC2's. EC2 refuses signatures over 5 minutes off; its answers carry its time.
clock = {"behind": 0.0}


def http_text(connection: Any, *request: Any) -> Tuple[int, str]:
    try:
        connection.request(*request)
        answer = connection.getresponse()
        server_time = answer.headers["Date"]
        if server_time and answer.status in (400, 401, 403):
            clock["behind"] = email.utils.parsedate_to_datetime(server_time).timestamp() - time.time()
        return answer.status, answer.read(1 << 20).decode(errors="replace")
    finally:
        connection.close()


def metadata(path: str, token: str = "", method: str = "GET") -> str:
    own = {"X-aws-ec2-metadata-token": token} if token else {"X-aws-ec2-metadata-token-ttl-seconds": "300"}
    connection = http.client.HTTPConnection("169.254.169.254", timeout=1)
    status, text = http_text(connection, method, f"/latest/{path}", None, own)
    if status != 200:
        raise OSError(f"metadata {path}: {status}")
    return text.strip()


def keys() -> Dict[str, str]:
    token = metadata("api/token", method="PUT")
    of_role = "meta-data/iam/security-credentials/"
    return {
        **json.loads(metadata(of_role + metadata(of_role, token), token)),
        "region": metadata("meta-data/placement/region", token),
        "domain": metadata("meta-data/services/domain", token),
    }


def signed(known: Dict[str, str], host: str, body: str) -> Dict[str, str]:
    """Headers of a POST: docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html"""
    moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() + clock["behind"]))
    headers = {
        "host": host,
        "x-amz-date": moment,
        "x-amz-security-token": known["Token"],
    }
    names = ";".join(headers)
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())

    def digest(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    scope = f"{moment[:8]}/{known['region']}/ec2/aws4_request"
    request = digest(f"POST\n/\n\n{lines}\n{names}\n{digest(body)}")
    key = f"AWS4{known['SecretAccessKey']}".encode()
    for part in (*scope.split("/"), f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{request}"):
        key = hmac.digest(key, part.encode(), "sha256")
    who = f"Credential={known['AccessKeyId']}/{scope}, SignedHeaders={names}, Signature={key.hex()}"
    return {
        **headers,
        "content-type": "application/x-www-form-urlencoded",
        "Authorization": f"AWS4-HMAC-SHA256 {who}",
    }


def always() -> bool:
    return True


def ask(
    known: Dict[str, str], action: str, parameters: Dict[str, str], wanted: Callable[[], bool]
) -> Tuple[int, str]:
    """Sends the request unless it is no longer `wanted` once EC2 is reached."""
    url = os.environ.get("EGRESS_BENCH_AWS") or f"https://ec2.{known['region']}.{known['domain']}/"
    scheme, host = urllib.parse.urlsplit(url)[:2]
    kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
    body = urllib.parse.urlencode({"Action": action, "Version": "2016-11-15", **parameters})
    connection = kind(host, timeout=ANSWER_SECONDS)
    connection.connect()
    if not wanted():
        connection.close()
        raise OSError("not wanted any more")
    return http_text(connection, "POST", "/", body, signed(known, host, body))


class Outside:
    def __init__(self, outside: Dict[str, Any]) -> None:
        self.interface = outside["networkInterfaceId"]
        self.address = outside["privateAddress"]
        self.tables = outside["routeTableIds"]
        self.keys: Dict[str, str] = {}
        self.keys_until = 0.0
        here = {"NetworkInterfaceId": self.interface}
        self.allocation = outside.get("allocationId")
        # In one subnet: what the private address must have with it, and whether the last look found it there.
        self.elastic_ip = outside.get("elasticIpId")
        self.joined = self.elastic_ip is None
        if self.allocation is None:
            own = {"PrivateIpAddress.1": self.address, "AllowReassignment": "true"}
            move = ("AssignPrivateIpAddresses", {**here, **own})
            place = ("DescribeNetworkInterfaces", {"NetworkInterfaceId.1": self.interface})
        else:
            own = {"PrivateIpAddress": self.address, "AllowReassociation": "true"}
            move = ("AssociateAddress", {**here, **own, "AllocationId": self.allocation})
            place = ("DescribeAddresses", {"AllocationId.1": self.allocation})
        join = {
            "PrivateIpAddress": self.address,
            "AllowReassociation": "true",
            "AllocationId": self.elastic_ip,
        }
        self.join: List[Tuple[str, Any]] = [] if self.joined else [("AssociateAddress", {**here, **join})]
        route = {**here, "DestinationCidrBlock": "0.0.0.0/0"}
        self.requests: List[Tuple[str, Any]] = [
            move,
            *(("ReplaceRoute", {**route, "RouteTableId": t}) for t in self.tables),
        ]
        tables = {f"RouteTableId.{at}": table for at, table in enumerate(self.tables, 1)}
        self.questions: List[Tuple[str, Any]] = [place, ("DescribeRouteTables", tables)]

    def all(self, calls: List[Tuple[str, Any]], wanted: Callable[[], bool] = always) -> List[Tuple[int, str]]:
        """Status and text of each answer, requested in parallel; status 0 and the reason where there is no answer."""
        answers = [(0, "no answer")] * len(calls)

        def one(at: int) -> None:
            try:
                answers[at] = ask(self.keys, *calls[at], wanted)
            except Exception as error:  # noqa: BLE001 (an unexpected error is no answer either)
                answers[at] = (0, repr(error))

        try:
            # Keys are fetched ahead of time, so that a take-over does not wait for them.
            if time.monotonic() > self.keys_until:
                self.keys = keys()
                self.keys_until = time.monotonic() + KEYS_SECONDS
        except Exception as error:  # noqa: BLE001
            log(f"no keys of the machine's role: {error!r}")
        threads = [threading.Thread(target=one, args=(at,), daemon=True) for at in range(len(calls))]
        for thread in threads:
            thread.start()
        # The request's own time-out covers neither name resolution nor an answer that trickles in byte by byte.
        ends = time.monotonic() + MOST_SECONDS
        for thread in threads:
            thread.join(max(0, ends - time.monotonic()))
        for (action, _), (status, text) in zip(calls, answers):
            if status not in (200, 412):
                log(f"{action}: {status} {text[:300]}")
                self.keys_until = 0 if status in (401, 403) else self.keys_until
        return answers

    def take(self, wanted: Callable[[], bool]) -> None:
        # Once it is at the private address it goes with that. Until then, also from another machine, it is asked for.
        self.all([*self.requests, *([] if self.joined else self.join)], wanted)

    def release(self) -> None:
        pass  # the addresses have moved to the other machine

    def carries(self) -> Optional[bool]:
        (status, place), (other, routes) = self.all(self.questions)
        if status != 200 or other != 200:
            return None
        # The answer about an interface lists only that interface's addresses, one item each.
        of_address = [f">{self.address}<", *([f">{self.interface}<"] if self.allocation else [])]
        of_route = [">0.0.0.0/0<", f">{self.interface}<"]
        is_here = count(place, of_address) > 0
        if is_here and self.join:
            self.joined = is_here = count(place, [*of_address, f">{self.elastic_ip}<"]) > 0
        return is_here and count(routes, of_route) == len(self.tables)

    def allowed(self) -> List[str]:
        """Actions that the role does not allow. EC2 answers an allowed dry run with the error DryRunOperation."""
        calls = [
            (action, {**own, "DryRun": "true"})
            for action, own in [*self.requests, *self.join, *self.questions]
        ]
        answers = self.all(calls)
        return [
            f"{call[0]}: {text[:200]}"
            for call, (_, text) in zip(calls, answers)
            if "DryRunOperation" not in text
        ]


def count(text: str, words: List[str]) -> int:
    """Counts the answer's innermost items that contain all these words."""
    return sum(all(word in item for word in words) for item in text.split("<item>"))

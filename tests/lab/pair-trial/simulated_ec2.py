"""A simulation of EC2's query API and a machine's metadata: targets of address and routes, and fates of requests."""

import calendar
import email.utils
import json
import socket
import time
import types
import urllib.parse

from simulated import EPOCH

MOVING = "198.19.1.7"
ELASTIC_IP = "eipalloc-1"
PLACES = ("address", "rtb-1", "rtb-2")
# Time within which a late request is executed.
LATEST_SECONDS = 20
FATES = ("lost", "late", "repeated", "refused", "unanswered", "stale", "strange", "unresolved")
METADATA = {
    "/latest/meta-data/iam/security-credentials/": "role",
    "/latest/meta-data/iam/security-credentials/role": json.dumps(
        {"AccessKeyId": "A", "SecretAccessKey": "s", "Token": "t"}
    ),
    "/latest/meta-data/placement/region": "eu-north-1",
    "/latest/meta-data/services/domain": "amazonaws.com",
}


class Cloud:
    """Targets of address and routes, and fates of requests."""

    def __init__(self, sim):
        self.sim = sim
        self.places = dict.fromkeys(PLACES, "")
        # Whether the Elastic IP is at the private address, with which it goes from then on.
        self.joined = False
        self.history = [(0.0, dict(self.places))]
        # Probability of each fate of a request, besides success.
        self.fates = {}
        self.away = self.by_operator = False
        self.last_late = 0.0

    def fate(self):
        return next((fate for fate, likely in self.fates.items() if self.sim.chance.random() < likely), "")

    def lead(self, place, interface, by_operator=False):
        self.places[place] = interface
        self.by_operator = by_operator
        self.history.append((self.sim.now, dict(self.places)))

    def holds(self, at):
        return self.joined and all(leads == f"eni-{at}" for leads in self.places.values())

    def answer(self, asked, signed, stale):
        """Executes the request; returns status and text."""
        if abs(calendar.timegm(time.strptime(signed, "%Y%m%dT%H%M%SZ")) - EPOCH - self.sim.now) > 300:
            return 400, "<Code>RequestExpired</Code>"
        action, interface = asked["Action"], asked.get("NetworkInterfaceId", "")
        seen = [places for moment, places in self.history if moment <= max(0, self.sim.now - stale)][-1]
        if action == "AssignPrivateIpAddresses":
            self.lead("address", interface)
        elif action == "AssociateAddress":
            if self.places["address"] != interface:
                return 400, "<Code>InvalidParameterValue</Code>"
            self.joined = True
        elif action == "ReplaceRoute":
            self.lead(asked["RouteTableId"], interface)
        elif action == "DescribeNetworkInterfaces":
            moved = MOVING if seen["address"] == asked["NetworkInterfaceId.1"] else "198.19.1.99"
            elastic_ip = f"<allocationId>{ELASTIC_IP}</allocationId>" if self.joined else ""
            return 200, f"<item><privateIpAddress>{moved}</privateIpAddress>{elastic_ip}</item>"
        else:
            return 200, "".join(
                f"<item><destinationCidrBlock>0.0.0.0/0</destinationCidrBlock><eni>{seen[one]}</eni></item>"
                for one in PLACES[1:]
            )
        return 200, "<return>true</return>"


class Connection:
    """One request over HTTP: to the machine's metadata, or to EC2."""

    def __init__(self, machine, host, timeout):
        self.machine, self.sim, self.cloud = machine, machine.sim, machine.cloud
        self.own, self.timeout, self.reply = host.startswith("169.254."), timeout, None

    def connect(self):
        if self.cloud.fate() == "unresolved":
            # The program's time-outs do not end a name look-up.
            self.sim.wait(self.sim.chance.uniform(5, 40))
            raise socket.gaierror("no name server answers")
        if self.cloud.away or self.machine.cut:
            self.sim.wait(self.timeout)
            raise TimeoutError("timed out")
        self.sim.wait(self.sim.chance.uniform(0.005, 0.3))

    def request(self, _method, path, body=None, headers=None):
        if self.own:
            self.reply = (self.sim.now + 0.002, 200, METADATA.get(path, "token"))
            return
        asked, signed = dict(urllib.parse.parse_qsl(body)), headers["x-amz-date"]
        fate, chance = self.cloud.fate(), self.sim.chance
        stale = chance.uniform(0, 2) if fate == "stale" else 0
        soon, late = (self.sim.now + chance.uniform(0.005, most) for most in (0.3, LATEST_SECONDS))

        def done():
            status, text = self.cloud.answer(asked, signed, stale)
            if fate != "unanswered":
                self.reply = (self.sim.now, status, text)

        if fate == "refused":
            self.reply = (soon, 503, "<Code>RequestLimitExceeded</Code>")
        elif fate == "strange":
            self.reply = (soon, 200, "<html>")
        elif fate != "lost" and not self.cloud.away and not self.machine.cut:
            self.sim.at(late if fate == "late" else soon, done)
            if fate == "repeated":
                self.sim.at(late, lambda: self.cloud.answer(asked, signed, 0))
            if fate in ("late", "repeated"):
                self.cloud.last_late = max(self.cloud.last_late, late)

    def here(self):
        cut = self.machine.cut and not self.own
        return self.reply is not None and self.reply[0] <= self.sim.now and not cut

    def getresponse(self):
        until = self.sim.now + self.timeout
        while not self.here():
            if self.sim.now >= until:
                raise TimeoutError("timed out")
            self.sim.wait(min(0.02, max(0.001, until - self.sim.now)))
        _, status, text = self.reply
        date = None if self.own else email.utils.formatdate(EPOCH + self.sim.now, usegmt=True)
        return types.SimpleNamespace(status=status, headers={"Date": date}, read=lambda _: text.encode())

    def close(self):
        pass

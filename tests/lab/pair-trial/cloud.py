"""A virtual network's router as EC2 shows it: instance metadata, and a query API that moves an address and a route.

Arguments: name=interface=address of each machine. While there is a file /run/away, nothing is answered.
A file /run/new makes a network to which address and route were never led.
"""

import calendar
import http.server
import os
import re
import socketserver
import subprocess
import sys
import threading
import time
import urllib.parse

AWAY, NEW, MOVES = "/run/away", "/run/new", "/run/moves"
MOVING = "198.19.1.7"
TABLE = "100"
machines = {}
for word in sys.argv[1:]:
    name, link, address = word.split("=")
    machines["eni-" + name] = (link, address)
METADATA = {
    "meta-data/placement/region": "eu-north-1",
    "meta-data/services/domain": "amazonaws.com",
    "meta-data/iam/security-credentials/": "pair-role",
    "meta-data/iam/security-credentials/pair-role": '{"AccessKeyId": "A", "SecretAccessKey": "s", "Token": "t"}',
}
place = {"address": "", "route": ""}
lock = threading.Lock()


def lead(what, interface):
    link, via = machines[interface]
    where = [f"{MOVING}/32"] if what == "address" else ["default", "table", TABLE]
    subprocess.run(["/sbin/ip", "route", "replace", *where, "via", via, "dev", link, "onlink"], check=True)
    place[what] = interface
    with open(MOVES, "a") as moves:
        moves.write(f"{time.time():.3f} {what} {interface}\n")


def answer(asked):
    action, interface = asked["Action"], asked.get("NetworkInterfaceId")
    if action == "AssignPrivateIpAddresses" and asked["PrivateIpAddress.1"] == MOVING:
        lead("address", interface)
    elif action == "ReplaceRoute":
        lead("route", interface)
    elif action == "DescribeNetworkInterfaces":
        interface = asked["NetworkInterfaceId.1"]
        moved = (
            f"<item><privateIpAddress>{MOVING}</privateIpAddress></item>"
            if place["address"] == interface
            else ""
        )
        own = f"<item><privateIpAddress>{machines[interface][1]}</privateIpAddress></item>"
        addresses = f"<privateIpAddressesSet>{own}{moved}</privateIpAddressesSet>"
        item = f"<networkInterfaceId>{interface}</networkInterfaceId>{addresses}"
        return f"<networkInterfaceSet><item>{item}</item></networkInterfaceSet>"
    elif action == "DescribeRouteTables":
        local = "<item><destinationCidrBlock>198.18.0.0/15</destinationCidrBlock><gatewayId>local</gatewayId></item>"
        leads = f"<networkInterfaceId>{place['route']}</networkInterfaceId>"
        route = f"<item><destinationCidrBlock>0.0.0.0/0</destinationCidrBlock>{leads}</item>"
        table = f"<item><routeTableId>rtb-1</routeTableId><routeSet>{local}{route}</routeSet></item>"
        return f"<routeTableSet>{table}</routeTableSet>"
    return "<return>true</return>"


class Handler(http.server.BaseHTTPRequestHandler):
    def say(self, status, text):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def away(self):
        while os.path.exists(AWAY):
            time.sleep(0.05)

    def do_PUT(self):
        self.say(200, "token")

    def do_GET(self):
        value = METADATA.get(re.sub("^/latest/", "", self.path))
        self.say(404 if value is None else 200, value or "")

    def do_POST(self):
        asked = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        if os.path.exists(AWAY):
            # Like an unreachable service: no answer, and the request is never executed.
            self.away()
            return
        signed = calendar.timegm(time.strptime(self.headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ"))
        if abs(signed - time.time()) > 300:
            self.say(400, "<Code>RequestExpired</Code>")
            return
        if asked.get("DryRun") == "true":
            self.say(412, "<Code>DryRunOperation</Code>")
            return
        with lock:
            if os.path.exists(NEW):
                os.unlink(NEW)
                place.update(address="", route="")
            text = answer(asked)
        self.say(200, f"<R>{text}</R>")

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    # Python's own version asks DNS for the address's name, which no lab answers.
    server_bind = socketserver.TCPServer.server_bind


server = Server(("169.254.169.254", 80), Handler)
print("listening", flush=True)
server.serve_forever()

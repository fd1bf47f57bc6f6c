"""Drives the function that moves private routes, by stand-ins of boto3's two clients that know what EC2 and CloudWatch would.

stdin: one JSON object a line; the first has the function's text and the two targets, each next asks for `looks` of scenarios
or for one call of the `handler`. stdout: one JSON line an answer.
"""

import json
import os
import sys
import time
import types
from datetime import datetime, timedelta, timezone

EPOCH = datetime(2026, 1, 1, tzinfo=timezone.utc)
DESTINATION = "0.0.0.0/0"


class ClientError(Exception):
    def __init__(self, response, operation_name):
        self.response = response
        super().__init__(f"{operation_name}: {response['Error']['Code']}")


def client_error(code, request):
    return ClientError({"Error": {"Code": code}}, request)


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


boto3 = module("boto3")
module("botocore")
module("botocore.exceptions", BotoCoreError=type("BotoCoreError", (Exception,), {}), ClientError=ClientError)
first = json.loads(sys.stdin.readline())
INTERFACE, GATEWAY = first["interface"], first["gateway"]
route_switch = module("route_switch")
exec(compile(first["program"], "route_switch.py", "exec"), route_switch.__dict__)


class Ec2:
    """Requests in boto3's form."""

    def __init__(self, routes):
        self.routes, self.gateway = routes, "available"

    def ask(self, request, of=None):
        raise NotImplementedError

    def get_paginator(self, name):
        assert name == "describe_route_tables"
        return self

    def paginate(self, Filters):
        self.ask("describe_route_tables")
        [wanted] = Filters
        for table, target in self.routes.items():
            local = {"DestinationCidrBlock": "10.0.0.0/16", "GatewayId": "local", "State": "active"}
            routes = [local] if target is None else [local, self.route(target)]
            if table in wanted["Values"]:
                yield {"RouteTables": [{"RouteTableId": table, "Routes": routes}]}

    def route(self, target):
        kind = {"eni": "NetworkInterfaceId", "nat": "NatGatewayId"}.get(target.split("-")[0], "GatewayId")
        gone = target.endswith("gone") or (target == GATEWAY and self.gateway is None)
        return {"DestinationCidrBlock": DESTINATION, kind: target, "State": "blackhole" if gone else "active"}

    def describe_nat_gateways(self, Filters):
        self.ask("describe_nat_gateways")
        assert Filters == [{"Name": "nat-gateway-id", "Values": [GATEWAY]}]
        return {"NatGateways": [] if self.gateway is None else [{"State": self.gateway}]}


class Cloud(Ec2):
    """Both clients, through the seconds of a scenario."""

    def __init__(self, tables):
        super().__init__({table: INTERFACE for table in tables})
        self.now, self.beats, self.requests = 0, [], 0
        self.machine, self.failing, self.delay = 1, [], 3

    def ask(self, request, of=None):
        if request in self.failing or of in self.failing:
            raise client_error("UnauthorizedOperation", f"{request} {of or ''}".strip())

    def get_metric_data(self, MetricDataQueries, StartTime, EndTime):
        self.ask("get_metric_data")
        [query] = MetricDataQueries
        metric = query["MetricStat"]["Metric"]
        assert metric["Namespace"] == "Mine" and metric["Dimensions"][0]["Value"] == INTERFACE, metric
        period, known = query["MetricStat"]["Period"], {}
        for at, value in self.beats:
            # CloudWatch returns the start of a report's period.
            start = EPOCH + timedelta(seconds=at // period * period)
            if at + self.delay <= self.now and StartTime <= start < EndTime:
                known[start] = min(value, known.get(start, value))
        known = sorted(known.items(), reverse=True)
        return {"MetricDataResults": [{"Timestamps": [at for at, _ in known], "Values": [value for _, value in known]}]}

    def replace_route(self, RouteTableId, DestinationCidrBlock, **target):
        self.requests += 1
        self.ask("replace_route", RouteTableId)
        assert DestinationCidrBlock == DESTINATION
        [self.routes[RouteTableId]] = target.values()


def settings_of(tables):
    return {"namespace": "Mine", "networkInterfaceId": INTERFACE, "natGatewayId": GATEWAY, "routeTableIds": tables}


def looks_of(scenario):
    cloud, looks = Cloud(scenario["tables"]), []
    for second in range(-120, scenario["seconds"] + 1):
        cloud.now = second
        for happening in scenario["happenings"]:
            if happening["at"] == second:
                cloud.routes.update(happening.get("route", {}))
                cloud.beats += [(second, happening["beat"])] if "beat" in happening else []
                for what in ("machine", "gateway", "failing", "delay"):
                    setattr(cloud, what, happening.get(what, getattr(cloud, what)))
        if second % 15 == scenario["phase"] and cloud.machine is not None:
            cloud.beats.append((second, cloud.machine))
        if second >= 0 and second % 15 == 0:
            cloud.requests = 0
            now = EPOCH + timedelta(seconds=second)
            try:
                problems = route_switch.look(cloud, cloud, settings_of(scenario["tables"]), now)
            except ClientError as error:
                problems = [str(error)]
            looks.append({"at": second, "routes": dict(cloud.routes), "problems": problems, "requests": cloud.requests})
    return looks


class OneCall(Ec2):
    """Both clients, for a call of the handler without any report of the machine."""

    def __init__(self, routes, failing):
        super().__init__(routes)
        self.failing, self.moved = failing, {}

    def ask(self, request, of=None):
        if self.failing.get(request, 0) > 0:
            self.failing[request] -= 1
            raise client_error("UnauthorizedOperation", request)

    def get_metric_data(self, **_):
        self.ask("get_metric_data")
        return {"MetricDataResults": [{"Timestamps": [], "Values": []}]}

    def replace_route(self, RouteTableId, DestinationCidrBlock, DryRun=False, **target):
        self.ask("replace_route")
        if DryRun:
            raise client_error("DryRunOperation", "replace_route")
        [self.moved[RouteTableId]] = target.values()


def handled(question):
    cloud, waits, error = OneCall(question["routes"], question["failing"]), [], None
    boto3.client = lambda name: cloud
    time.sleep = waits.append
    os.environ["SETTINGS"] = json.dumps(settings_of(sorted(question["routes"])))
    try:
        route_switch.handler(question["event"], None)
    except (RuntimeError, ClientError) as raised:
        error = str(raised)
    return {"waits": waits, "error": error, "moved": cloud.moved}


answers = sys.stdout
sys.stdout = sys.stderr  # what the function logs
for line in sys.stdin:
    question = json.loads(line)
    answer = [looks_of(one) for one in question["looks"]] if "looks" in question else handled(question["handler"])
    print(json.dumps(answer), file=answers, flush=True)

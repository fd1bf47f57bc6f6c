"""Leads private routes to a NAT gateway while a NAT instance does not forward, and back. Written by egress-bench."""

import json
import os
import time
from datetime import datetime, timedelta, timezone

import boto3
from botocore.exceptions import BotoCoreError, ClientError

BEAT_SECONDS = 15
# Silence after which the machine counts as down: three beats. The look that finds it comes 30 s to 60 s after a death.
SILENT_SECONDS = 45
# Beats, all good, before clients are moved back. The window holds one more, since the last may still be
# missing.
STEADY_BEATS = 4
STEADY_SECONDS = 75
LOOKS = 4
TRIALS = 6
TRIAL_SECONDS = 5
DESTINATION = "0.0.0.0/0"


def wanted(beats: list[tuple[float, float]]) -> str | None:
    """Where clients should go.

    `gateway`, `instance`, or None to leave them. beats: age in seconds and value, 1 or 0, of each known
    beat.
    """
    recent = sorted(beat for beat in beats if beat[0] <= STEADY_SECONDS)
    if not recent or recent[0][0] > SILENT_SECONDS or recent[0][1] < 1:
        return "gateway"
    steady = len(recent) >= STEADY_BEATS and all(value >= 1 for _, value in recent)
    return "instance" if steady else None


def plan(routes: dict, want: str | None, settings: dict) -> tuple[list[str], list[str]]:
    """Tables whose route must move, and the problems found.

    routes: each table's route by the table's id, as EC2 describes it; None where there is none.
    """
    own = {"instance": settings["networkInterfaceId"], "gateway": settings["natGatewayId"]}
    moves, problems = [], []
    for table, route in routes.items():
        if route is None:
            problems.append(f"{table} has no route {DESTINATION}; run pulumi up --refresh")
            continue
        target = route.get("NatGatewayId") or route.get("NetworkInterfaceId") or route.get("GatewayId")
        # A route to anything else may be on purpose, unless its target is gone.
        if target not in own.values() and route.get("State") != "blackhole":
            print(f"{table} leads to {target}, neither NAT instance nor gateway: it stays there")
        elif want is not None and target != own[want]:
            moves.append(table)
    return moves, problems


def beats_of(cloudwatch, settings: dict, now: datetime) -> list[tuple[float, float]]:
    metric = {
        "Namespace": settings["namespace"],
        "MetricName": "Forwarding",
        "Dimensions": [{"Name": "NetworkInterface", "Value": settings["networkInterfaceId"]}],
    }
    # A period of a second, so that each beat keeps its own time.
    query = {"Id": "beats", "MetricStat": {"Metric": metric, "Period": 1, "Stat": "Minimum"}}
    start = now - timedelta(seconds=2 * STEADY_SECONDS)
    answer = cloudwatch.get_metric_data(
        MetricDataQueries=[query], StartTime=start, EndTime=now + timedelta(seconds=BEAT_SECONDS)
    )
    [found] = answer["MetricDataResults"]
    ages = [(now - at).total_seconds() for at in found["Timestamps"]]
    return list(zip(ages, found["Values"], strict=True))


def routes_of(ec2, settings: dict) -> dict:
    """Routes by table id. Asked by a filter: one missing table would fail a request by ids for all."""
    tables = settings["routeTableIds"]
    found = dict.fromkeys(tables)
    pages = ec2.get_paginator("describe_route_tables").paginate(
        Filters=[{"Name": "route-table-id", "Values": tables}]
    )
    for page in pages:
        for table in page["RouteTables"]:
            for route in table["Routes"]:
                if route.get("DestinationCidrBlock") == DESTINATION:
                    found[table["RouteTableId"]] = route
    return found


def gateway_problem(ec2, settings: dict) -> str | None:
    """Why the gateway cannot be used; None if it can."""
    gateway = settings["natGatewayId"]
    filters = [{"Name": "nat-gateway-id", "Values": [gateway]}]
    states = [one["State"] for one in ec2.describe_nat_gateways(Filters=filters)["NatGateways"]]
    if states == ["available"]:
        return None
    return f"{gateway} is {states[0] if states else 'gone'}; routes stay where they are"


def look(ec2, cloudwatch, settings: dict, now: datetime) -> list[str]:
    """Looks once and moves the routes that must move. Returns problems; unknown state moves nothing."""
    want = wanted(beats_of(cloudwatch, settings, now))
    moves, problems = plan(routes_of(ec2, settings), want, settings)
    if moves and want == "gateway" and (problem := gateway_problem(ec2, settings)):
        return [*problems, problem]
    return [*problems, *move(ec2, settings, moves, want)]


def move(ec2, settings: dict, tables: list[str], want: str | None) -> list[str]:
    """Moves the tables' routes to `want`. Returns what EC2 refused."""
    target = (
        {"NatGatewayId": settings["natGatewayId"]}
        if want == "gateway"
        else {"NetworkInterfaceId": settings["networkInterfaceId"]}
    )
    problems = []
    for table in tables:
        try:
            ec2.replace_route(RouteTableId=table, DestinationCidrBlock=DESTINATION, **target)
            print(f"{table}: {DESTINATION} leads to the {want}")
        except (BotoCoreError, ClientError) as error:
            problems.append(f"{table}: {error}")
    return problems


def looks(ec2, cloudwatch, settings: dict) -> list[str]:
    """Looks several times. Returns the problems of the last look."""
    problems = []
    for number in range(LOOKS):
        if number > 0:
            time.sleep(BEAT_SECONDS)
        try:
            problems = look(ec2, cloudwatch, settings, datetime.now(timezone.utc))
        except (BotoCoreError, ClientError) as error:
            problems = [str(error)]
        for problem in problems:
            print(problem)
    return problems


def trial(ec2, cloudwatch, settings: dict) -> list[str]:
    """Checks every permission without moving anything.

    Returns the ones that would be missing when the machine fails.
    """
    problems = []
    for table in settings["routeTableIds"]:
        try:
            ec2.replace_route(
                RouteTableId=table,
                DestinationCidrBlock=DESTINATION,
                NatGatewayId=settings["natGatewayId"],
                DryRun=True,
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "DryRunOperation":
                problems.append(f"{table}: {error}")
    try:
        beats_of(cloudwatch, settings, datetime.now(timezone.utc))
        routes_of(ec2, settings)
        gateway_problem(ec2, settings)
    except ClientError as error:
        problems.append(str(error))
    return problems


def tried(ec2, cloudwatch, settings: dict) -> list[str]:
    """Repeats the trial while a new role becomes known everywhere."""
    problems = []
    for _ in range(TRIALS):
        problems = trial(ec2, cloudwatch, settings)
        if not problems:
            break
        time.sleep(TRIAL_SECONDS)
    return problems


def given_back(ec2, settings: dict) -> list[str]:
    """Leads routes to the machine, alive or not, since the gateway may be deleted next."""
    time.sleep(LOOKS * BEAT_SECONDS)  # a call that is still looking may move them
    moves, _ = plan(routes_of(ec2, settings), "instance", settings)
    return move(ec2, settings, moves, "instance")


def handler(event: dict, _context) -> None:
    """Entry point.

    Called each minute, and by Pulumi, which names its operation. Raises if something is wrong.
    """
    settings = json.loads(os.environ["SETTINGS"])
    ec2, cloudwatch = boto3.client("ec2"), boto3.client("cloudwatch")
    match event.get("lifecycle", {}).get("action"):
        case None:
            problems = looks(ec2, cloudwatch, settings)
        case "delete":
            problems = given_back(ec2, settings)
        case _:
            problems = tried(ec2, cloudwatch, settings)
    if problems:
        raise RuntimeError("; ".join(problems))

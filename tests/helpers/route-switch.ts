/**
 * The function that moves private routes, run by this machine's Python through scenarios of many minutes in no time: its own
 * text, with stand-ins of boto3's two clients that know what EC2 and CloudWatch would.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { routeSwitch } from "../../components/aws/route-switch.ts";

/** What happens at a second of a scenario, to last from then on. */
export interface Happening {
  readonly at: number;
  /** What the machine says every 15 s; `null`: nothing, it is dead. */
  readonly machine?: 1 | 0 | null;
  /** A beat besides, between two others. */
  readonly beat?: 1 | 0;
  /** State of the NAT gateway; `null`: there is none. */
  readonly gateway?: string | null;
  /** Requests that fail: by their name, of `replace_route` also by its table. */
  readonly failing?: readonly string[];
  /** Somebody leads a table's route there; `null`: takes it away. */
  readonly route?: Readonly<Record<string, string | null>>;
  /** Seconds until CloudWatch knows a beat. */
  readonly delay?: number;
}

/** One look and what was true after it. */
export interface Look {
  readonly at: number;
  /** By table: where its route leads, `null` where there is none. */
  readonly routes: Readonly<Record<string, string | null>>;
  /** What it said was wrong. */
  readonly problems: readonly string[];
  /** `replace_route` requests that it made. */
  readonly requests: number;
}

export const INTERFACE = "eni-1";
export const GATEWAY = "nat-1";

const standIns = `class BotoCoreError(Exception):
    pass


class ClientError(Exception):
    def __init__(self, response, operation_name):
        self.response = response
        super().__init__(f"{operation_name}: {response['Error']['Code']}")
`;

const driver = `
import json, sys
from datetime import datetime, timedelta, timezone
from botocore.exceptions import ClientError
import route_switch

EPOCH = datetime(2026, 1, 1, tzinfo=timezone.utc)

class Cloud:
    def __init__(self, tables):
        self.now, self.beats, self.requests = 0, [], 0
        self.machine, self.gateway, self.failing, self.delay = 1, "available", [], 3
        self.routes = {table: "${INTERFACE}" for table in tables}

    def ask(self, name, of=None):
        if name in self.failing or of in self.failing:
            raise ClientError({"Error": {"Code": "UnauthorizedOperation"}}, f"{name} {of or ''}".strip())

    def get_metric_data(self, MetricDataQueries, StartTime, EndTime):
        self.ask("get_metric_data")
        [query] = MetricDataQueries
        metric = query["MetricStat"]["Metric"]
        assert metric["Namespace"] == "Mine" and metric["Dimensions"][0]["Value"] == "${INTERFACE}", metric
        period, known = query["MetricStat"]["Period"], {}
        for at, value in self.beats:
            # CloudWatch gives the start of the period that a beat is in.
            start = EPOCH + timedelta(seconds=at // period * period)
            if at + self.delay <= self.now and StartTime <= start < EndTime:
                known[start] = min(value, known.get(start, value))
        known = sorted(known.items(), reverse=True)
        return {"MetricDataResults": [{"Timestamps": [at for at, _ in known], "Values": [value for _, value in known]}]}

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
        gone = target.endswith("gone") or (target == "${GATEWAY}" and self.gateway is None)
        return {"DestinationCidrBlock": "0.0.0.0/0", kind: target, "State": "blackhole" if gone else "active"}

    def describe_nat_gateways(self, Filters):
        self.ask("describe_nat_gateways")
        assert Filters == [{"Name": "nat-gateway-id", "Values": ["${GATEWAY}"]}]
        return {"NatGateways": [] if self.gateway is None else [{"State": self.gateway}]}

    def replace_route(self, RouteTableId, DestinationCidrBlock, **target):
        self.requests += 1
        self.ask("replace_route", RouteTableId)
        assert DestinationCidrBlock == "0.0.0.0/0"
        [self.routes[RouteTableId]] = target.values()

def looks_of(scenario):
    cloud, looks = Cloud(scenario["tables"]), []
    settings = {"namespace": "Mine", "networkInterfaceId": "${INTERFACE}", "natGatewayId": "${GATEWAY}", "routeTableIds": scenario["tables"]}
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
            try:
                problems = route_switch.look(cloud, cloud, settings, EPOCH + timedelta(seconds=second))
            except ClientError as error:
                problems = [str(error)]
            looks.append({"at": second, "routes": dict(cloud.routes), "problems": problems, "requests": cloud.requests})
    return looks

print("LOOKS" + json.dumps([looks_of(scenario) for scenario in json.load(sys.stdin)]))
`;

function inPython(program: string, files: Readonly<Record<string, string>>, input: string): string {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-route-switch-"));
  try {
    mkdirSync(join(directory, "botocore"));
    const packages = { "botocore/__init__.py": "", "botocore/exceptions.py": standIns };
    for (const [name, text] of Object.entries({ ...files, ...packages })) {
      writeFileSync(join(directory, name), text);
    }
    writeFileSync(join(directory, "route_switch.py"), routeSwitch);
    writeFileSync(join(directory, "driver.py"), program);
    return execFileSync("python3", [join(directory, "driver.py")], { input, encoding: "utf8" });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

interface Scenario {
  readonly happenings: readonly Happening[];
  /** @default 600 */
  readonly seconds?: number;
  /** @default rtb-1 */
  readonly tables?: readonly string[];
  /** Seconds of each 15 at which the machine beats. @default 7 */
  readonly phase?: number;
}

/** Looks every 15 s of each scenario. The machine has been well for two minutes before. */
export function looksOfEach(scenarios: readonly Scenario[]): Look[][] {
  const whole = scenarios.map((one) => ({ seconds: 600, tables: ["rtb-1"], phase: 7, ...one }));
  const said = inPython(driver, { "boto3.py": "" }, JSON.stringify(whole));
  return JSON.parse(said.slice(said.indexOf("LOOKS") + 5));
}

/** {@link looksOfEach} of one. */
export function looksOf(happenings: readonly Happening[], of: Omit<Scenario, "happenings"> = {}): Look[] {
  return looksOfEach([{ happenings, ...of }])[0] as Look[];
}

/** How one call of the handler went. */
export interface Handled {
  /** Seconds of each of its waits. */
  readonly waits: readonly number[];
  /** What it failed with. */
  readonly error: string | null;
  /** Routes that it moved, by table: where to. */
  readonly moved: Readonly<Record<string, string>>;
}

/** EC2 and CloudWatch of one call, where routes lead to the gateway and nothing is known of the machine. */
const clients = (failing: Readonly<Record<string, number>>, routes: Readonly<Record<string, string>>) => `
from botocore.exceptions import ClientError

left = ${JSON.stringify(failing)}
routes = ${JSON.stringify(routes)}
moved = {}


def error(code, request):
    return ClientError({"Error": {"Code": code, "Message": "said EC2"}}, request)


class Client:
    def __init__(self, name):
        self.name = name

    def ask(self, request):
        if left.get(request, 0) > 0:
            left[request] -= 1
            raise error("UnauthorizedOperation", request)

    def get_metric_data(self, **_):
        self.ask("get_metric_data")
        return {"MetricDataResults": [{"Timestamps": [], "Values": []}]}

    def get_paginator(self, request):
        return self

    def paginate(self, **_):
        self.ask("describe_route_tables")
        for table, target in routes.items():
            kind = "NatGatewayId" if target == "${GATEWAY}" else "NetworkInterfaceId"
            route = {"DestinationCidrBlock": "0.0.0.0/0", kind: target, "State": "active"}
            yield {"RouteTables": [{"RouteTableId": table, "Routes": [route]}]}

    def describe_nat_gateways(self, **_):
        self.ask("describe_nat_gateways")
        return {"NatGateways": [{"State": "available"}]}

    def replace_route(self, RouteTableId, DestinationCidrBlock, DryRun=False, **target):
        self.ask("replace_route")
        if DryRun:
            raise error("DryRunOperation", "replace_route")
        [moved[RouteTableId]] = target.values()


def client(name):
    return Client(name)
`;

/**
 * Calls the handler in no time.
 *
 * @param event What it is called with.
 * @param failing Requests that EC2 or CloudWatch refuses, and how many times.
 * @param routes By table: where its route leads.
 */
export function handled(
  event: object,
  failing: Readonly<Record<string, number>> = {},
  routes: Readonly<Record<string, string>> = {},
): Handled {
  const program = `
import json, os, sys, time
import boto3, route_switch
waits = []
time.sleep = waits.append
os.environ["SETTINGS"] = json.dumps({"namespace": "Mine", "networkInterfaceId": "${INTERFACE}", "natGatewayId": "${GATEWAY}", "routeTableIds": sorted(boto3.routes)})
try:
    route_switch.handler(json.load(sys.stdin), None)
    error = None
except (RuntimeError, boto3.ClientError) as raised:
    error = str(raised)
print("LOOKS" + json.dumps({"waits": waits, "error": error, "moved": boto3.moved}))
`;
  const said = inPython(program, { "boto3.py": clients(failing, routes) }, JSON.stringify(event));
  return JSON.parse(said.slice(said.indexOf("LOOKS") + 5));
}

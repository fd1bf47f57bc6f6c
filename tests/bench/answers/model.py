"""Answers by the clouds' published rules alone: which way out carries a demand, with what, and its monthly
cost.

Reads one JSON document from stdin, {"prices": {size: USD an hour}, "sizes": [rows of
bench/machines/aws.json], "azureSizes": {size: [vCPUs, held, most]}, "cases": [...]}, and writes one line for each
case whose answer differs from the program's, then a line with the counts. Nothing here is shared with the
program but the prices and the table of sizes.
"""

import json
import math
import re
import sys

HOURS = 730
Case = dict
Answer = dict

# docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-basics.html; learn.microsoft.com/azure/nat-gateway/nat-gateway-resource,
# load-balancer-outbound-connections, firewall-performance; addresses of the last two as the project's components make them.
MANAGED = {
    ("aws", "nat-gateway"): {"each": 55_000, "addresses": 8, "total": 100e9, "idle": 350, "packets": 10e6},
    ("azure", "nat-gateway"): {
        "each": 50_000, "addresses": 16, "total": 50e9, "way": 25e9, "idle": 7200, "flows": 2_000_000, "packets": 5e6,
    },
    ("azure", "StandardV2"): {
        "each": 50_000, "addresses": 16, "total": 100e9, "idle": 7200, "flows": 2_000_000, "one": 1e9, "packets": 10e6,
    },
    ("azure", "load-balancer"): {"each": 64_000, "addresses": 16, "idle": 6000},
    ("azure", "firewall"): {"each": 4992, "addresses": 16, "total": 30e9, "idle": 900},
    ("azure", "Premium"): {"each": 4992, "addresses": 16, "total": 100e9, "idle": 900},
}  # fmt: skip
HOURLY_AND_GB = {"load-balancer": (0.025, 0.005), "firewall": (1.25, 0.016), "Premium": (1.75, 0.016)}
EGRESS = {
    "aws": [(0, 0), (100, 0.09), (10_340, 0.085), (51_300, 0.07), (153_700, 0.05)],
    "azure": [(0, 0), (100, 0.087), (10_335, 0.083), (51_295, 0.07), (153_695, 0.05)],
}
# Azure's burstable sizes of the second generation send at most 6.25 Gbit/s, and have this share of their CPUs
# without credits.
BURSTABLE = re.compile(r"Standard_B(\d+)[ap]?([tl]?)s_v2")
BURSTABLE_MOST = 6.25e9
BURSTABLE_SHARE = {"t": 0.2, "l": 0.3, "": 0.4}

# Bits a second that a size held as a NAT: TCP in the slower direction, or UDP with 0.055 % lost for 300 s.
PUBLISHED = {"Standard_B2ats_v2": 4.2e9, "t4g.nano": 0.999e9, "t4g.small": 1e9}
# Where nobody measured a size, a vCPU translates what t4g.nano's two did, and 5,000 new connections a second.
BITS_PER_VCPU, CONNECTIONS_PER_VCPU = 0.5e9, 5000
# 250,000 datagrams of 64 B a second by 2 vCPUs.
PACKETS_PER_VCPU = 125_000
# Times the need that evidence must show: others' rates count in full, a cloud's limit by half.
MARGIN = {"measured": 1, "published": 1, "limit": 2}
# Connections that a machine may track: set-up's most, and Azure's limit; on AWS 4 KiB each in three quarters of its memory.
TABLE = {"aws": 2_097_152, "azure": 250_000}
# Machines, addresses and charges of one NAT instance, of a pair, and of a pair behind Azure's load balancers.
SETS = {
    ("aws", "nat-instance"): (1, 1),
    ("aws", "fck-nat"): (1, 1),
    ("aws", "nat-instance-ha"): (2, 3),
    ("azure", "nat-instance"): (1, 1),
    ("azure", "nat-instance-ha"): (2, 2),
}


# What is said is in whole cents.
CENT = 0.0051


def cpu_share(size: str) -> float:
    """Share of its CPUs that a size has all month. T3 and later are unlimited by default."""
    burstable = BURSTABLE.fullmatch(size)
    return 0.1 if size == "t2.micro" else 1 if burstable is None else BURSTABLE_SHARE[burstable[2]]


def tiered(cloud: str, gb: float) -> float:
    """Cost of that many GB to the internet."""
    starts = [*EGRESS[cloud], (math.inf, 0)]
    return sum(
        max(0.0, min(gb, starts[at + 1][0]) - start) * usd for at, (start, usd) in enumerate(EGRESS[cloud])
    )


def internet(rate: float, vcpus: int) -> float:
    """EC2's limit with the internet: 5 Gbit/s, or half of the rate from 32 vCPUs on."""
    return min(rate, 5e9 if vcpus < 32 else max(rate / 2, 5e9))


def tracked(memory_gib: float) -> float:
    """Connections that a machine on AWS tracks."""
    return min(TABLE["aws"], max(65_536, memory_gib * 0.75 * 2**30 // 4096))


def demand(case: Case) -> dict:
    """Rates in bits a second; the least that must be carried is the month's mean."""
    mean = (case["gbIn"] + case["gbOut"]) * 8e9 / (HOURS * 3600)
    one_way = max(case["gbIn"], case["gbOut"]) * 8e9 / (HOURS * 3600)
    peak = max(mean, case["peak"] or 0)
    return {"mean": max(mean, case["busy"]), "peak": peak, "way": max(one_way, case["peak"] or 0)}


def packets(case: Case) -> float:
    """Packets of the busiest minute; 0 where nobody counted them."""
    return demand(case)["peak"] / 8 / case["packet"] if case["packet"] else 0


def managed(case: Case, name: str) -> Answer:
    """A service of the cloud: addresses by ports, gateways by addresses, rates and connections."""
    cloud, rates = case["cloud"], demand(case)
    limit = MANAGED[cloud, name]
    connections = case["connections"]
    ports = connections
    if name == "load-balancer" and connections is not None:
        each = math.ceil(connections / case["machines"])
        ports = case["machines"] * max(8, math.ceil(each / 8) * 8)
    addresses = max(1, math.ceil((ports or 0) / limit["each"]))
    gateways = max(
        case["zones"] if name == "nat-gateway" else 1,
        math.ceil(addresses / limit["addresses"]),
        math.ceil(rates["peak"] / limit["total"]) if "total" in limit else 1,
        math.ceil(rates["way"] / limit["way"]) if "way" in limit else 1,
        math.ceil(case["flows"] / limit["flows"]) if "flows" in limit else 1,
        math.ceil(packets(case) / limit["packets"]) if "packets" in limit else 1,
    )
    addresses = max(addresses, gateways)
    gb = case["gbIn"] + case["gbOut"]
    hour, per_gb = HOURLY_AND_GB.get(name, (0.045, 0.045))
    usd = HOURS * (hour * gateways + 0.005 * addresses) + per_gb * gb + tiered(cloud, case["gbOut"])
    too_many = name == "load-balancer" and connections is not None and math.ceil(connections / case["machines"]) > 64_000
    too_few = 0 < case["flows"] * limit.get("one", math.inf) < rates["peak"]
    excluded = too_many or too_few or (case["idle"] or 0) > limit["idle"]
    status = "excluded" if excluded else "test" if name == "load-balancer" else "fits"
    return {"status": status, "addresses": addresses, "gateways": gateways, "usd": usd}


def enough(case: Case, size: str, limits: tuple, measured: dict | None, *, bare: bool = False) -> bool:
    """Whether the evidence shows the need with its margin, so that no test is needed; bare: without any margin."""
    vcpus, held, most, *_ = limits
    rates = demand(case)
    grade = "measured" if measured else "published" if size in PUBLISHED else "limit"
    rate = measured["rate"] if measured else PUBLISHED.get(size, min(most, vcpus * BITS_PER_VCPU))
    sustained = min(held, rate * cpu_share(size))
    # Full packets of the rate that was shown, or half of what its CPUs forward.
    full, forwarded = 0 if grade == "limit" else rate / 12_000, vcpus * PACKETS_PER_VCPU
    # What it sustains is its cloud's limit, unless it was measured here; new connections are a bound of its CPUs.
    margins = (
        (rate, rates["peak"], MARGIN[grade]),
        (sustained, rates["mean"], 1 if measured else 2),
        (vcpus * CONNECTIONS_PER_VCPU, case["opened"] or 0, 2),
        (full, packets(case), 1) if full * 2 > forwarded else (forwarded, packets(case), 2),
    )
    return all(has >= need * (1 if bare else times) for has, need, times in margins)


def machine(case: Case, name: str, sizes: dict, prices: dict) -> Answer:
    """The cheapest size that carries the demand without a test, else the cheapest that may, else the cheapest by its
    cloud's limits; or the measured one."""
    cloud, rates = case["cloud"], demand(case)
    count, public = SETS[cloud, name]
    idle = 240 if cloud == "azure" else 7440
    measured = case["measured"] if name == "nat-instance" else None
    able = {
        size: limits
        for size, limits in sizes.items()
        if rates["mean"] <= limits[1]
        and rates["peak"] <= limits[2]
        and (case["idle"] or 0) <= limits[3]
        and case["flows"] <= limits[4]
    }
    priced = {size: prices[size] for size in able if size in prices}
    shown = {size: usd for size, usd in priced.items() if enough(case, size, sizes[size], None)}
    may = {size: usd for size, usd in priced.items() if enough(case, size, sizes[size], None, bare=True)}
    choices = shown or may or priced
    size = measured["size"] if measured else min(choices, key=lambda one: choices[one]) if choices else None
    if size is None:
        return {"status": "unknown" if able else "excluded", "usd": None}
    _, held, most, tracked, table = sizes[size]
    connections = case["connections"] or 0
    addresses = max(1, math.ceil(connections / 64_512))
    excluded = (
        addresses > 1
        or case["flows"] > min(table, TABLE[cloud])
        or (case["noSinglePoint"] and count == 1)
        or (case["idle"] or 0) > min(idle, tracked)
        or rates["mean"] > held
        or rates["peak"] > max(most, measured["rate"] if measured and cloud == "azure" else 0)
        or (measured is not None and measured["rate"] < rates["peak"])
    )
    # Azure's load balancers serve all zones; otherwise each zone has its own.
    gateways = max(
        1 if cloud == "azure" and count == 2 else case["zones"],
        addresses,
        math.ceil(case["flows"] / TABLE[cloud]),
    )
    disk = 0.64 if cloud == "aws" else 2.4
    usd = (HOURS * prices[size] + disk) * count * gateways
    usd += HOURS * 0.005 * (public * gateways if count == 2 else max(addresses, gateways))
    if cloud == "azure" and count == 2:
        usd += HOURS * 0.025 * gateways + 0.005 * (case["gbIn"] + case["gbOut"])
    status = "excluded" if excluded else "fits" if enough(case, size, sizes[size], measured) else "test"
    return {
        "status": status,
        "addresses": max(addresses, gateways),
        "gateways": gateways,
        "usd": usd + tiered(cloud, case["gbOut"]),
    }


def difference(case: Case, said: dict, mine: dict) -> list[str]:
    """Differences between the program's answer and the rules'."""
    found = []
    for name, expected in mine.items():
        if expected["status"] == "unknown":
            continue
        way = said["ways"].get(name)
        if expected["usd"] is None:
            if way is None or way["status"] != expected["status"]:
                found.append(f"{name} status: {way and way['status']} for {expected['status']}")
            continue
        for key in ("status", "addresses", "gateways"):
            if way is None or way[key] != expected[key]:
                found.append(f"{name} {key}: {way and way[key]} for {expected[key]}")
        if way is not None and abs((way["usd"] or 0) - expected["usd"]) > CENT:
            found.append(f"{name} USD: {way['usd']} for {expected['usd']:.4f}")
    fitting = [one["usd"] for one in mine.values() if one["status"] == "fits"]
    cheapest = min(fitting) if fitting else None
    if (cheapest is None) != (said["usd"] is None) or (
        cheapest is not None and abs(said["usd"] - cheapest) > CENT
    ):
        found.append(f"pick: {said['pick']} at {said['usd']} for {cheapest}")
    return [f"{json.dumps(case)}: {one}" for one in found]


def main() -> None:
    """Compares all cases."""
    document = json.load(sys.stdin)
    ec2 = {
        row[0]: (row[1], internet(row[3] * 1e9, row[1]), internet(row[4] * 1e9, row[1]), row[5], tracked(row[2]))
        for row in document["sizes"]
    }
    vcpus = {size: int(found[1]) for size in document["prices"]["azure"] if (found := BURSTABLE.fullmatch(size))}
    azure = {
        size: (vcpus[size], BURSTABLE_MOST * cpu_share(size), BURSTABLE_MOST, math.inf, math.inf) for size in vcpus
    }
    azure |= {size: (*rates, math.inf, math.inf) for size, rates in document["azureSizes"].items()}
    disagreements, differing = [], 0
    for case in document["cases"]:
        cloud = case["cloud"]
        names = [name for at, name in MANAGED if at == cloud]
        mine = {name: managed(case, name) for name in names}
        mine |= {
            name: machine(case, name, ec2 if cloud == "aws" else azure, document["prices"][cloud])
            for at, name in SETS
            if at == cloud
        }
        found = difference(case, case["said"], mine)
        disagreements.extend(found)
        differing += 1 if found else 0
    for line in disagreements[:20]:
        print(line)
    print(f"{len(document['cases'])} demands, {differing} with another answer than by the published rules")


if __name__ == "__main__":
    main()

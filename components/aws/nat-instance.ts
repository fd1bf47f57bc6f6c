import type { Role } from "@pulumi/aws/iam/role.js";
import * as pulumi from "@pulumi/pulumi";
import { natBoot, natSetUpArgs } from "../nat-instance/cloud-machine.ts";
import { idleSeconds, LEAVING_FILE, lifelongOptions, NAT_UNIT, natSetup } from "../nat-instance/index.ts";
import { checkArgs } from "../shared/args-schema.ts";
import { invalid } from "../shared/arguments.ts";
import { program, textOf } from "../shared/shell.ts";
import type { AwsAttachment, AwsEgress } from "./egress.ts";
import { countPublicIps } from "./elastic-ip.ts";
import { type FoundVpc, foundIn, foundVpc, type VpcComponent } from "./found-vpc.ts";
import type { LinuxHost } from "./linux-host.ts";
import { machineRole, SYSTEMS_MANAGER } from "./machine-role.ts";
import { DEFAULT_NAT_TYPE, type NatInstanceArgs, natInstanceSchema } from "./nat-args.ts";
import { type NatMachines, natMachine, waitBy } from "./nat-machine.ts";
import { natPair } from "./nat-pair.ts";
import { watch } from "./operators/alarms.ts";
import { cloudWatchPublisher, namespaceOf, publishingStatement } from "./operators/cloudwatch.ts";
import { assertFallback, fallbackGateway } from "./operators/nat-gateway-fallback.ts";
import { routeSwitchFunction } from "./operators/route-switch-function.ts";
import { movedTables } from "./routes.ts";
import type { NatGroup } from "./security-group.ts";
import { REQUEST_PACKAGES, signedRequests } from "./signed-requests.ts";

/** The heartbeat's metric: 1 or 0. */
export const BEAT_METRIC = "Forwarding";

/** The metric's one dimension, the interface's id: two stacks may share names. */
export const BEAT_DIMENSION = "NetworkInterface";

/** Shell program that publishes one beat. @param namespace CloudWatch's namespace. */
export function heartbeat(namespace: string): string {
  const settings = { leaving_file: LEAVING_FILE, namespace, metric: BEAT_METRIC, dimension: BEAT_DIMENSION };
  return program("Tells CloudWatch whether this NAT instance forwards.", settings, [
    signedRequests,
    textOf("./heartbeat.sh", import.meta.url),
  ]);
}

/**
 * A NAT instance: one Linux machine that runs an nftables masquerade and a flowtable. Private route tables get a route to its
 * interface.
 *
 * `ready` is over when the machine has booted and forwards: let clients depend on it. Changed rules are loaded on the machine, by
 * the login or Systems Manager that `ready` needs, and sessions continue. A changed image or first boot makes another machine, to which
 * address and routes move when it is set up; a changed instance type stops and starts the machine.
 *
 * One machine is one point of failure; `autoHeal` shortens its outages, with `natGatewayFallback` a NAT gateway bridges
 * them, and with `highAvailability` sessions outlive them. Patching it is yours to do.
 *
 * Cost (USD, us-east-1, on demand): t4g.micro about 6.13 a month, its 8 GB disk 0.64, 0.005 an hour an address;
 * nothing a GB beside AWS's own egress. A pair costs twice that, and two addresses more. A NAT gateway costs about 33 a month and 0.045 a GB in either
 * direction; one that only stands by (`natGatewayFallback`) about 33 a month, 3.65 for its address, 4 to 7 for watching,
 * and 0.045 for each GB that it carries.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 * import { SshKeyPair } from "egress-bench";
 *
 * const nat = new aws.NatInstance("nat", {
 *   vpcId: vpc.id, subnetId: publicSubnet.id,
 *   privateRouteTableIds: [privateRoutes.id],
 *   privateCidrs: ["10.0.1.0/24"],
 *   ssh: { key: new SshKeyPair("operator"), allowedCidrs: ["203.0.113.7/32"] },
 *   autoHeal: true,
 * });
 * // Machines in the private subnets: { dependsOn: nat.ready }
 * ```
 */
export class NatInstance extends pulumi.ComponentResource implements AwsEgress {
  readonly topology: "nat-instance" | "nat-instance-ha";
  /**
   * The machine; `host.machine` is the instance, or the Auto Scaling group. In a pair, the machine that is active first.
   */
  readonly host: LinuxHost;
  readonly attachment: AwsAttachment = {};
  /** TCP idle timeout of its connection tracking. */
  readonly idleTimeoutSeconds: number | undefined;
  readonly hosts: readonly LinuxHost[];
  readonly expectedSourceIps: pulumi.Output<string>[];
  readonly ready: readonly pulumi.Resource[];
  /** The machines' role, for further policies. Undefined with `iamInstanceProfile`, and where no option needs one. */
  readonly role: Role | undefined;

  constructor(name: string, args: NatInstanceArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:NatInstance", name, {}, opts);
    checkArgs("NatInstance", natInstanceSchema, args);
    assertFallback(args.natGatewayFallback, args.highAvailability !== undefined);
    if (args.sessionManager && args.iamInstanceProfile !== undefined) {
      throw invalid(
        "sessionManager",
        `iamInstanceProfile names the machine's role; give that role ${SYSTEMS_MANAGER}, or leave one of them out`,
      );
    }
    const isPair = args.highAvailability !== undefined;
    this.topology = isPair ? "nat-instance-ha" : "nat-instance";
    const type = args.instanceType ?? DEFAULT_NAT_TYPE;
    const built = isPair ? natPair(name, args, type, this) : this.#alone(name, args, type);
    this.host = built.hosts[0];
    this.role = built.role?.role;
    // fck-nat's data plane keeps the kernel's five days.
    this.idleTimeoutSeconds =
      args.nat?.dataPlane === "iptables" ? undefined : idleSeconds(args.nat?.idleTimeouts).tcp;
    this.hosts = args.ssh === undefined ? [] : built.hosts;
    this.expectedSourceIps = built.addresses;
    const { cloudWatch, tags } = args;
    const machines = built.hosts.map((host) => host.name);
    watch(name, { cloudWatch, tags, machines, region: this.host.region }, this);
    this.ready = [...built.hosts.flatMap(({ ready }) => ready), ...built.routes];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }

  /**
   * A NAT instance for all private subnets of a VPC, whose subnets, route tables and blocks are looked up: the machine is in the
   * first public subnet, by zone and id. What is given in `args` is not looked up.
   *
   * @param vpc Id of a VPC that exists before this update, or awsx's `Vpc` of this program with the NAT strategy `None`.
   * @throws {pulumi.InputPropertyError} for a VPC without a public or without a private subnet.
   * @example
   * ```ts
   * import * as aws from "egress-bench/aws";
   *
   * const nat = await aws.NatInstance.forVpc("nat", "vpc-0123456789abcdef0", { sessionManager: true, autoHeal: true });
   * ```
   */
  static async forVpc(
    name: string,
    vpc: string | VpcComponent,
    args: Omit<NatInstanceArgs, keyof FoundVpc> & Partial<Omit<FoundVpc, "vpcId">> = {},
    opts: pulumi.ComponentResourceOptions = {},
  ): Promise<NatInstance> {
    const found = typeof vpc === "string" ? foundVpc(vpc, opts, args) : foundIn(vpc, opts);
    return new NatInstance(name, { ...(await found), ...args }, opts);
  }

  /**
   * The forwarding interface, for route tables that others make.
   *
   * @throws {Error} of a pair, whose machines move just the routes that the component made.
   */
  get networkInterfaceId(): pulumi.Output<string> {
    if (this.topology === "nat-instance-ha") {
      throw new Error(
        "networkInterfaceId: a pair has two interfaces, and a route to one ends with its machine; name the route tables in privateRouteTableIds, whose routes follow a take-over",
      );
    }
    return this.host.interfaceId as pulumi.Output<string>;
  }

  #alone(name: string, args: NatInstanceArgs, instanceType: pulumi.Input<string>): NatMachines {
    const { adminUser, nat, privateCidrs, natGatewayFallback: fallback } = args;
    const { packages, ...boot } = natBoot(nat);
    const { said, role } = this.#saying(name, args);
    const publicIpCount = countPublicIps(args.publicIpCount, args.publicIps);
    const gateway = fallback && fallbackGateway(name, args, fallback, this);
    const { host, routes, addresses } = natMachine(
      name,
      role === undefined ? args : { ...args, iamInstanceProfile: role.profile.name },
      publicIpCount,
      {
        waitBy: args.ssh === undefined && args.sessionManager ? "systems-manager" : waitBy(args),
        compressed: true,
        bootAfter: role?.policies,
        instanceType,
        adminUser,
        unit: NAT_UNIT,
        nat,
        securityGroup: groupOf(args),
        packages: said === undefined ? packages : [...packages, ...REQUEST_PACKAGES],
        boot,
        lifelong: lifelongOptions({ ...nat, ...said, privateCidrs: [] }),
        standIn: gateway?.id,
        script: (privateAddresses) =>
          natSetUpArgs({ ...nat, ...said }, privateCidrs, privateAddresses, publicIpCount, args.ssh).apply(
            natSetup,
          ),
      },
      this,
    );
    if (gateway === undefined) {
      return { hosts: [host], routes, addresses, role };
    }
    const switched = {
      ...args,
      privateRouteTableIds: movedTables(args),
      natGatewayId: gateway.id,
      namespace: namespaceOf(args.cloudWatch ?? true),
      networkInterfaceId: host.interfaceId as pulumi.Output<string>,
      ready: [...host.ready, ...routes],
    };
    routeSwitchFunction(`${name}-fallback`, switched, this);
    return { hosts: [host], routes, addresses: [...addresses, gateway.address], role };
  }

  /** The machine's CloudWatch metrics, and its role: the right to publish them, and Systems Manager's. */
  #saying(name: string, args: NatInstanceArgs) {
    const { cloudWatch, natGatewayFallback: fallback, iamInstanceProfile, sessionManager } = args;
    const namespace = namespaceOf(cloudWatch ?? true);
    const said =
      cloudWatch === undefined && fallback === undefined
        ? undefined
        : {
            publisher: cloudWatch && cloudWatchPublisher(namespace, `${name}-nat`),
            heartbeat: fallback && heartbeat(namespace),
          };
    const statements = said === undefined ? [] : [publishingStatement(namespace)];
    const managed = sessionManager ? [SYSTEMS_MANAGER] : [];
    const role =
      iamInstanceProfile === undefined && statements.length + managed.length > 0
        ? machineRole(`${name}-metrics`, args, statements, this, managed)
        : undefined;
    return { said, role };
  }
}

/**
 * The kind of security group.
 * @throws {pulumi.InputPropertyError} for an open group before a machine that filters nothing.
 */
function groupOf({ securityGroup, nat }: NatInstanceArgs): NatGroup {
  const filters = nat?.dataPlane !== "iptables";
  if (securityGroup === "untracked" && !filters) {
    throw invalid(
      "securityGroup",
      "untracked would forward for every host with dataPlane iptables, which filters nothing; leave it out",
    );
  }
  return securityGroup ?? (filters ? "untracked" : "stateful");
}

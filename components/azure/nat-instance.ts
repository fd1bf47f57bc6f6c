import type { RouteTable } from "@pulumi/azure-native/network/routeTable.js";
import * as pulumi from "@pulumi/pulumi";
import { AZURE_IDLE_SECONDS } from "../../bench/topologies/limits.ts";
import { idleSeconds } from "../nat-instance/index.ts";
import { checkArgs } from "../shared/args-schema.ts";
import { child } from "./common.ts";
import { type AzureAttachment, type AzureEgress, routesInto, routesThrough } from "./egress.ts";
import { type FoundVnet, foundVnet } from "./found-vnet.ts";
import type { LinuxHost } from "./linux-host.ts";
import { type Lead, natAlone } from "./nat-alone.ts";
import { assertIpv4, DEFAULT_NAT_SIZE, type NatInstanceArgs, natInstanceSchema } from "./nat-args.ts";
import { natPair } from "./nat-pair.ts";
import { withOwnWayOut } from "./own-way-out.ts";

/**
 * A NAT instance: one Linux machine with IP forwarding, an nftables masquerade and a flowtable, its own security
 * group, and a route table for the clients' subnets. Attach it with `attachment.routeTableId`. Never give such a
 * subnet, or the machine's own, a NAT gateway.
 *
 * `ready` is over when the machine has booted and forwards: let clients depend on it.
 *
 * One machine is one point of failure, and patching it is yours to do. With `highAvailability` two of them stand behind a
 * load balancer.
 *
 * Cost (USD, pay as you go): Standard_B2ats_v2 about 6.86 a month, its 30 GB disk about 2.4, 0.005 an hour a public
 * address; nothing a GB beside Azure's own egress. A pair costs twice that, and a load balancer of one rule, 0.025 an hour
 * and 0.005 a GB. A NAT gateway costs about 33 a month and 0.045 a GB.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 * import { SshKeyPair } from "egress-bench";
 *
 * const nat = new azure.NatInstance("nat", {
 *   resourceGroupName: group.name,
 *   location: group.location,
 *   subnetId: natSubnet.id,
 *   privateCidrs: ["10.0.1.0/24"],
 *   ssh: { key: new SshKeyPair("operator"), allowedCidrs: ["203.0.113.7/32"] },
 * });
 * const apps = network.subnet("apps", { cidr: "10.0.1.0/24", attachment: nat.attachment });
 * // Machines in that subnet: { dependsOn: nat.ready }
 * ```
 */
export class NatInstance extends pulumi.ComponentResource implements AzureEgress {
  readonly topology: "nat-instance" | "nat-instance-ha";
  /** The machine; `host.machine` is the virtual machine resource. In a pair, the machine that is active first. */
  readonly host: LinuxHost;
  /** Next hop of the clients' 0.0.0.0/0 route: the machine's private address, or that of a pair's load balancer. */
  readonly nextHopIpAddress: pulumi.Output<string>;
  readonly attachment: AzureAttachment;
  /** TCP idle timeout of its connection tracking. */
  readonly idleTimeoutSeconds: number | undefined;
  readonly hosts: readonly LinuxHost[];
  readonly expectedSourceIps: pulumi.Output<string>[];
  readonly ready: readonly pulumi.Resource[];
  readonly #routeTable: RouteTable | undefined;

  constructor(name: string, args: NatInstanceArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:NatInstance", name, {}, opts);
    assertIpv4(args?.nat);
    checkArgs("NatInstance", natInstanceSchema, args);
    const subnetId = withOwnWayOut("subnetId", args.subnetId, this);
    const isPair = args.highAvailability !== undefined;
    this.topology = isPair ? "nat-instance-ha" : "nat-instance";
    const make = isPair ? natPair : natAlone;
    let table: RouteTable | undefined;
    const lead: Lead = (nextHop, after) => {
      const opts = child(this, { dependsOn: [...after] });
      const { privateRouteTableIds: tables } = args;
      if (tables !== undefined) return routesInto(name, tables, nextHop, opts);
      table = routesThrough("nat-instance", name, args, nextHop, opts);
      return [table];
    };
    const size = args.size ?? DEFAULT_NAT_SIZE;
    const { hosts, addresses, nextHop, more } = make(name, { ...args, subnetId }, size, this, lead);
    this.host = hosts[0];
    this.expectedSourceIps = addresses;
    this.nextHopIpAddress = nextHop;
    this.#routeTable = table;
    this.attachment = this.#routeTable === undefined ? {} : { routeTableId: this.#routeTable.id };
    // The public address forgets a connection before the machine does.
    this.idleTimeoutSeconds = Math.min(AZURE_IDLE_SECONDS, idleSeconds(args.nat?.idleTimeouts).tcp);
    this.hosts = args.ssh === undefined ? [] : hosts;
    this.ready = [...hosts.flatMap(({ ready }) => ready), ...more];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }

  /**
   * A NAT instance for all subnets of a virtual network that have a route table, which gets their route. The machine is in the
   * first other subnet, by name. What is given in `args` is not looked up.
   *
   * @param vnetId Id of a virtual network that exists before this update.
   * @throws {pulumi.InputPropertyError} for a network without such subnets.
   * @example
   * ```ts
   * import * as azure from "egress-bench/azure";
   *
   * const vnetId = "/subscriptions/.../resourceGroups/egress/providers/Microsoft.Network/virtualNetworks/hub";
   * const nat = await azure.NatInstance.forVnet("nat", vnetId);
   * ```
   */
  static async forVnet(
    name: string,
    vnetId: string,
    args: Omit<NatInstanceArgs, keyof FoundVnet> & Partial<FoundVnet> = {},
    opts: pulumi.ComponentResourceOptions = {},
  ): Promise<NatInstance> {
    return new NatInstance(name, { ...(await foundVnet(vnetId, opts)), ...args }, opts);
  }

  /**
   * 0.0.0.0/0 through the machine, for the clients' subnets.
   *
   * @throws {Error} with `privateRouteTableIds`, where there is none.
   */
  get routeTable(): RouteTable {
    if (this.#routeTable === undefined) {
      throw new Error(
        "routeTable: with privateRouteTableIds there is none; point your own at nextHopIpAddress",
      );
    }
    return this.#routeTable;
  }
}

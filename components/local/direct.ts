/**
 * No NAT: what the path carries when nothing translates addresses.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import type { Egress } from "../shared/egress.ts";
import { type LabAttachment, type LabEgressArgs, makeBox } from "./box.ts";

/** Turns a host into a plain router. */
const routerScript = `
set -eu
sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.default.send_redirects=0
`;

/** The baseline of the lab: a box that routes and does no NAT, so that it has as many hops as the others. */
export class DirectEgress extends pulumi.ComponentResource implements Egress<LabAttachment> {
  readonly topology = "direct";
  /** What a client needs to go out through it. */
  readonly attachment: LabAttachment;
  readonly hosts;
  readonly expectedSourceIps: string[];
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: LabEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:local:DirectEgress", name, {}, opts);
    const box = makeBox(name, { ...args, role: "router", script: routerScript, returnRoute: true }, this);
    this.attachment = { box: box.host, addresses: box.addresses, translates: false };
    this.hosts = [box.host] as const;
    this.expectedSourceIps = [box.addresses.client];
    this.ready = [box.booted];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }
}

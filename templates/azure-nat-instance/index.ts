import * as pulumi from "@pulumi/pulumi";
import { SshKeyPair } from "egress-bench";
import { NatInstance } from "egress-bench/azure";

const config = new pulumi.Config();
const list = (key: string) => config.require(key).match(/[^\s,]+/g) ?? [];

const operator = new SshKeyPair("operator");
const nat = new NatInstance("nat", {
  resourceGroupName: config.require("resourceGroupName"),
  location: config.require("location"),
  subnetId: config.require("subnetId"),
  privateCidrs: list("privateCidrs"),
  ssh: { key: operator, allowedCidrs: list("sshAllowedCidrs") },
});

/** Route table for the private subnets. */
export const routeTableId = nat.routeTable.id;
/** Public addresses of the private subnets' hosts. */
export const publicIps = nat.expectedSourceIps;
/** Logs in to the machine: `pulumi stack output key --show-secrets`. */
export const key = operator.privateKey;

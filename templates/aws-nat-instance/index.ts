import * as pulumi from "@pulumi/pulumi";
import { SshKeyPair } from "egress-bench";
import { NatInstance } from "egress-bench/aws";

const config = new pulumi.Config();
const list = (key: string) => config.require(key).match(/[^\s,]+/g) ?? [];

const operator = new SshKeyPair("operator");
const nat = new NatInstance("nat", {
  vpcId: config.require("vpcId"),
  subnetId: config.require("publicSubnetId"),
  privateRouteTableIds: list("privateRouteTableIds"),
  privateCidrs: list("privateCidrs"),
  ssh: { key: operator, allowedCidrs: list("sshAllowedCidrs") },
  autoHeal: true,
});

/** Public addresses of the private subnets' hosts. */
export const publicIps = nat.expectedSourceIps;
/** Logs in to the machine: `pulumi stack output key --show-secrets`. */
export const key = operator.privateKey;

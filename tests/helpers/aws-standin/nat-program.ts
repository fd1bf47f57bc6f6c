/** Generates a program with a NAT instance in a network of two zones. */

/** The start of a program: public subnets of two zones, private ones whose route tables are `apps` and `more`. */
const pairNetwork = `import { NatInstance, Network } from "./components/aws/index.ts";
import { Eip } from "@pulumi/aws/ec2/eip.js";
const network = new Network("net", { cidr: "10.0.0.0/16", zone: "us-east-1a" });
const outside = network.publicSubnet("public", "10.0.0.0/24");
const beside = network.publicSubnet("beside", "10.0.4.0/24");
const other = network.publicSubnet("other", "10.0.3.0/24", "us-east-1b");
const apps = network.privateSubnet("apps", "10.0.1.0/24");
const more = network.privateSubnet("more", "10.0.2.0/24");
`;

interface InstanceText {
  /** More arguments, as text. @default none */
  readonly options?: string;
  /** The first machine's subnet. @default outside */
  readonly subnet?: "outside" | "beside";
  /** Names of the private subnets. @default both */
  readonly tables?: readonly string[];
}

/** A network and a NAT instance named nat in it. @param before Code that the options need. */
export function natProgram(
  { options = "", subnet = "outside", tables = ["apps", "more"] }: InstanceText,
  before = "",
): string {
  return `${pairNetwork}${before}
new NatInstance("nat", {
  vpcId: network.vpcId,
  subnetId: ${subnet}.subnetId,
  internetReady: network.internetReady,
  privateRouteTableIds: [${tables.map((table) => `${table}.routeTableId`).join(", ")}],
  privateCidrs: ["10.0.1.0/24", "10.0.2.0/24"],
  ${options}
});
`;
}

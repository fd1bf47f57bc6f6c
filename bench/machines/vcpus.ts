/** Numbers of vCPUs, also of sizes that are newer than the table. */
import type { PricedCloud } from "../topologies/clouds.ts";
import { awsFamily } from "./aws.ts";
import { machineOf } from "./index.ts";

/**
 * vCPUs of an instance type that the table of machines lacks, by its name; null where the name does not tell, such as for
 * metal sizes.
 *
 * Source: docs.aws.amazon.com/ec2/latest/instancetypes. A T's `medium` has two, others' one; T2's three smallest have one.
 */
function awsVcpus(instanceType: string): number | null {
  const family = awsFamily(instanceType);
  const size = instanceType.slice(family.length + 1);
  const [, count] = /^(\d*)xlarge$/.exec(size) ?? [];
  if (count !== undefined) {
    return 4 * Number(count === "" ? 1 : count);
  }
  const small = family === "t2" ? 1 : 2;
  const medium = family.startsWith("t") ? 2 : 1;
  const known: Readonly<Record<string, number>> = { nano: small, micro: small, small, medium, large: 2 };
  return known[size] ?? null;
}

/** vCPUs of D, DS and their second generation, whose number is a step. Source: learn.microsoft.com, dv2 and dsv2 series */
const steps: Readonly<Record<number, number>> = {
  ...{ 1: 1, 2: 2, 3: 4, 4: 8, 5: 16 },
  ...{ 11: 2, 12: 4, 13: 8, 14: 16, 15: 20 },
};

/** vCPUs of a size that the table of machines lacks, by its name; null where the name does not tell. */
function azureVcpus(size: string): number | null {
  const [, series = "", number, version] =
    /^Standard_([A-Z]+?)(\d+)[a-z]*(?:-\d+)?[a-z]*(_v\d+)?$/.exec(size) ?? [];
  if (number === undefined) {
    return null;
  }
  const stepped = /^DS?$/.test(series) && (version === undefined || version === "_v2");
  return (stepped ? steps[Number(number)] : Number(number)) ?? null;
}

/** vCPUs of a size by its name alone; null where the name does not tell. */
export const vcpusByName: Readonly<Record<PricedCloud, (size: string) => number | null>> = {
  aws: awsVcpus,
  azure: azureVcpus,
};

/** vCPUs of a size, by the table or else by its name; null: neither tells. */
export function vcpusOf(cloud: PricedCloud, size: string): number | null {
  return machineOf(size)?.vcpus ?? vcpusByName[cloud](size);
}

/** An account's quotas, read by the provider from AWS's Service Quotas, which do not tell their use. */
import { getServiceQuota } from "@pulumi/aws/servicequotas/getServiceQuota.js";
import type { Quota } from "./shortfall.ts";

const vpcCodes: ReadonlySet<string> = new Set(["L-F678F1CE", "L-FE5A380F"]);

/** Quotas by code. @param codes Such as `L-1216C47A`. */
export async function awsQuotas(codes: readonly string[]): Promise<Quota[]> {
  return Promise.all(
    codes.map(async (quotaCode) => {
      const { value } = await getServiceQuota({
        serviceCode: vpcCodes.has(quotaCode) ? "vpc" : "ec2",
        quotaCode,
      });
      return { quota: quotaCode, region: null, limit: value, used: null };
    }),
  );
}

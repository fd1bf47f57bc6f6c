/** An account's quotas, read by the provider from AWS's Service Quotas, which do not tell their use. */
import { getServiceQuota } from "@pulumi/aws/servicequotas/getServiceQuota.js";
import type { Quota } from "./shortfall.ts";

const vpcCodes: ReadonlySet<string> = new Set(["L-F678F1CE", "L-FE5A380F"]);

/** The provider repeats what fails for minutes. The engine ends a preview only after that, but nothing waits for it. */
const TIMEOUT_SECONDS = 5;

/** Quotas by code. @param codes Such as `L-1216C47A`. @throws {Error} without answers within five seconds */
export async function awsQuotas(codes: readonly string[]): Promise<Quota[]> {
  const answers = Promise.all(
    codes.map(async (quotaCode) => {
      const { value } = await getServiceQuota({
        serviceCode: vpcCodes.has(quotaCode) ? "vpc" : "ec2",
        quotaCode,
      });
      return { quota: quotaCode, region: null, limit: value, used: null };
    }),
  );
  const late = new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(new Error(`no answer within ${TIMEOUT_SECONDS} s`)),
      1000 * TIMEOUT_SECONDS,
    ).unref();
  });
  return Promise.race([answers, late]);
}

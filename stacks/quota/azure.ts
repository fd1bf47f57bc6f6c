/** A subscription's quotas and their use, read with the provider's own login. */
import { getClientConfig } from "@pulumi/azure-native/authorization/getClientConfig.js";
import { getClientToken } from "@pulumi/azure-native/authorization/getClientToken.js";
import { z } from "zod";
import type { Quota } from "./shortfall.ts";

const ENDPOINT = "https://management.azure.com";
const TIMEOUT_MS = 10_000;

const usagesSchema = z.object({
  value: z.array(
    z.object({ name: z.object({ value: z.string() }), currentValue: z.number(), limit: z.number() }),
  ),
});
const providerSchema = z.object({ registrationState: z.string() });

/** Azure's API endpoint, and the provider's login: a token with a limited life. */
export async function azureLogin() {
  const [{ subscriptionId }, { token }] = await Promise.all([getClientConfig(), getClientToken()]);
  return { endpoint: ENDPOINT, subscriptionId, token };
}

type AzureLogin = Awaited<ReturnType<typeof azureLogin>>;

/** Quotas of machines and of networks, in each region. @throws {Error} with Azure's answer */
export async function azureQuotas(login: AzureLogin, regions: readonly string[]): Promise<Quota[]> {
  const paths = regions.flatMap((region) => [
    { region, path: `Microsoft.Compute/locations/${region}/usages?api-version=2024-11-01` },
    { region, path: `Microsoft.Network/locations/${region}/usages?api-version=2024-05-01` },
  ]);
  const answers = await Promise.all(
    paths.map(async ({ region, path }) => {
      const { value } = usagesSchema.parse(await answer(login, `providers/${path}`));
      return value.map(({ name, currentValue, limit }) => ({
        quota: name.value,
        region,
        limit,
        used: currentValue,
      }));
    }),
  );
  return answers.flat();
}

/** Resource providers that the subscription has not registered. */
export async function unregistered(login: AzureLogin, providers: readonly string[]): Promise<string[]> {
  const states = await Promise.all(
    providers.map(async (name) =>
      providerSchema.parse(await answer(login, `providers/${name}?api-version=2021-04-01`)),
    ),
  );
  return providers.filter((_, index) => states[index]?.registrationState !== "Registered");
}

async function answer({ endpoint, subscriptionId, token }: AzureLogin, path: string): Promise<unknown> {
  const response = await fetch(`${endpoint}/subscriptions/${subscriptionId}/${path}`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    throw new Error(`${path.replace(/\?.*/, "")}: status ${response.status}`);
  }
  return response.json();
}

/** Quotas: what a stack uses of them while it is deployed, and cells that wait until enough of them is left. */
import type { Plan } from "../../bench/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { isPriced } from "../../bench/topologies/index.ts";
import { type QuotaDemand, quotaDemandOf } from "../../stacks/quota/quota-demand.ts";
import type { StackFile } from "../pulumi/stack-file.ts";
import { inventories } from "./cost.ts";

/** A cell's use of a limited resource while its stack is deployed. */
export interface Token {
  /** Name, such as `aws us-east-1 L-1216C47A`. */
  readonly pool: string;
  readonly amount: number;
}

/** The machine that runs all labs: one at a time, since they would share its CPUs. */
const LAB_POOL = "this machine";

/** The quotas that a stack uses; none for a cloud without quotas. */
export function quotaDemandOfStack(file: StackFile, plan: Plan): QuotaDemand[] {
  const { cloud } = file;
  if (!isPriced(cloud)) {
    return [];
  }
  const inventory = inventories[cloud](file, plan);
  // AWS's quotas belong to the provider's region.
  return quotaDemandOf[cloud](inventory).map((demand) => ({
    ...demand,
    region: demand.region ?? inventory.region ?? null,
  }));
}

/** The name of a quota's pool, in lower case, since Azure varies the case. */
export function poolOf(cloud: string, region: string | null, quota: string): string {
  return `${cloud} ${region ?? "(the login's region)"} ${quota.toLowerCase()}`;
}

export function tokensOf(file: StackFile, plan: Plan): Token[] {
  return cloudRecords[file.cloud].isLab
    ? [{ pool: LAB_POOL, amount: 1 }]
    : quotaDemandOfStack(file, plan).map(({ quota, region, amount }) => ({
        pool: poolOf(file.cloud, region, quota),
        amount,
      }));
}

const own = { addresses: /l-0263d0a3|publicip/, networks: /l-f678f1ce/, gateways: /l-fe5a380f/ };

/**
 * The clouds' error texts about quotas, with the pools that they mean. Sources:
 * docs.aws.amazon.com/ec2/latest/devguide/errors-overview.html;
 * learn.microsoft.com/azure/azure-resource-manager/troubleshooting/common-deployment-errors, read 2026-11-23.
 */
const refusals: readonly (readonly [RegExp, (pool: string) => boolean])[] = [
  [
    /VcpuLimitExceeded|InstanceLimitExceeded|MaxSpotInstanceCountExceeded|exceeding approved .*?\bcores\b.*?quota/is,
    (pool) => !Object.values(own).some((pattern) => pattern.test(pool)),
  ],
  [
    /AddressLimitExceeded|PublicIPCountLimitReached|PublicIpAddressCountLimit/,
    (pool) => own.addresses.test(pool),
  ],
  [/VpcLimitExceeded/, (pool) => own.networks.test(pool)],
  [/NatGatewayLimitExceeded/, (pool) => own.gateways.test(pool)],
];

/** The tokens that a cloud refused, by the engine's messages about their stack. */
export function refusedOf(tokens: readonly Token[], errors: readonly string[]): Token[] {
  const [, isMeant] = refusals.find(([pattern]) => pattern.test(errors.join("\n"))) ?? [];
  return tokens.filter(({ pool }) => isMeant?.(pool));
}

/** Limits by pool, and who waits for them. A missing pool has no limit. */
export class Quotas {
  readonly #limits: Map<string, number>;
  readonly #used = new Map<string, number>();
  #waiting: readonly { readonly tokens: readonly Token[]; readonly go: () => void }[] = [];

  /** @param limits The machine's one lab is added. */
  constructor(limits: ReadonlyMap<string, number> = new Map()) {
    this.#limits = new Map([[LAB_POOL, 1], ...limits]);
  }

  limit(pool: string): number {
    return this.#limits.get(pool) ?? Number.POSITIVE_INFINITY;
  }

  /** Lowers a limit that the cloud did not state before it refused. */
  lower(pool: string, limit: number): void {
    this.#limits.set(pool, Math.min(this.limit(pool), limit));
  }

  /** Waits for tokens. Those who wait for a pool are served in their order, so that a large cell gets its turn. */
  take(tokens: readonly Token[]): Promise<void> {
    return new Promise((go) => {
      this.#waiting = [...this.#waiting, { tokens, go }];
      this.#serve();
    });
  }

  give(tokens: readonly Token[]): void {
    this.#change(tokens, -1);
    this.#serve();
  }

  #change(tokens: readonly Token[], sign: 1 | -1): void {
    for (const { pool, amount } of tokens) {
      this.#used.set(pool, (this.#used.get(pool) ?? 0) + sign * amount);
    }
  }

  #serve(): void {
    const closed = new Set<string>();
    this.#waiting = this.#waiting.filter(({ tokens, go }) => {
      const isBlocked = tokens.some(
        ({ pool, amount }) => closed.has(pool) || (this.#used.get(pool) ?? 0) + amount > this.limit(pool),
      );
      if (isBlocked) {
        for (const { pool } of tokens) closed.add(pool);
      } else {
        this.#change(tokens, 1);
        go();
      }
      return isBlocked;
    });
  }
}

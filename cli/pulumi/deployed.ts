/** Reads an earlier run from the stack's state. */
import { PACKED } from "../../bench/agent/read-report.ts";
import { isSettledText } from "../../components/benchmark/case-resource.ts";

export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly inputs?: { readonly triggers?: unknown };
  readonly outputs?: { readonly stdout?: unknown; readonly results?: unknown };
}

export type Deployed = ReturnType<typeof readDeployed>;

const REMOTE_COMMAND = "command:remote:Command";
const OWN_PACKAGES = ["pulumi", "egress-bench", "command"];

/** @param resources As `exportStack` returns them. */
export function readDeployed(resources: readonly StateResource[]) {
  const commands = resources.filter(({ type }) => type === REMOTE_COMMAND);
  const stack = resources.find(({ type }) => type === "pulumi:pulumi:Stack");
  const results = inTheClear(stack?.outputs?.results);
  const packages = new Set(resources.map(({ type }) => type.split(":")[0] ?? ""));
  return {
    resources,
    /** Packages of the resources, except Pulumi's and the project's own. */
    packages: [...packages].filter((name) => !OWN_PACKAGES.includes(name)),
    results,
    /** Whether its last run finished. */
    isWhole: (runId: string) => (results as { runId?: unknown } | undefined)?.runId === runId,
    reports: (runId: string): ReadonlyMap<string, string> =>
      new Map(
        commands.flatMap(({ urn, inputs, outputs }) => {
          const stdout = outputs?.stdout;
          return isOfRun(inputs?.triggers, [runId]) && isReport(stdout) ? [[resourceName(urn), stdout]] : [];
        }),
      ),
    /** Whether one of these runs has prepared or measured it; also true if no run has yet. */
    isOf: (runIds: ReadonlySet<string>) =>
      commands.length === 0 || commands.some(({ inputs }) => isOfRun(inputs?.triggers, [...runIds])),
  };
}

/** Marks of a secret in a state; Pulumi's `sdk/go/common/resource`, `SigKey` and `SecretSig`. */
const SECRET = {
  key: "4dabf18193072939515e22adb298388d",
  value: "1b47061264138c4ac30d75fd1eb44270",
} as const;

/** A value with the secrets that `exportStack` shows unwrapped. */
function inTheClear(value: unknown): unknown {
  const secret = value as { readonly [SECRET.key]?: unknown; readonly plaintext?: unknown } | undefined;
  return secret?.[SECRET.key] === SECRET.value ? JSON.parse(String(secret.plaintext)) : value;
}

export function resourceName(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

/** A case's triggers begin with the run's id, an agent's with the host's identity. */
function isOfRun(triggers: unknown, runIds: readonly string[]): boolean {
  return Array.isArray(triggers) && triggers.slice(0, 2).some((one) => runIds.includes(String(one)));
}

function isReport(stdout: unknown): stdout is string {
  return (
    typeof stdout === "string" &&
    (isSettledText(stdout) || [PACKED, "{"].some((first) => stdout.startsWith(first)))
  );
}

/**
 * Reads a stack's outputs and operations from its state's files. Pulumi's Automation API calls the CLI three times after each
 * operation, which takes more CPU than a preview.
 */
import { createDecipheriv, pbkdf2Sync } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OutputMap, Stack, UpdateSummary } from "@pulumi/pulumi/automation/index.js";
import { PASSPHRASE } from "./stack-files.ts";

/** The state's mark of a secret, anywhere in an output. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));

/** The outputs, with secrets decrypted. */
function storedOutputs(file: string): OutputMap {
  const { latest = {} } = readJson(file).checkpoint;
  const resources = (latest.resources ?? []) as { type: string; outputs?: object }[];
  const { outputs = {} } = resources.find(({ type }) => type === "pulumi:pulumi:Stack") ?? {};
  const salt: string = latest.secrets_providers?.state.salt ?? "";
  const revealed = (text: string) =>
    JSON.parse(text, (_, value) => (isSecret(value) ? opened(value, salt) : value));
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [
      name,
      { value: revealed(JSON.stringify(value)), secret: isSecret(value) },
    ]),
  );
}

interface Secret {
  readonly ciphertext: string;
}

function isSecret(value: unknown): value is Secret {
  return typeof value === "object" && value !== null && SIGNATURE in value;
}

/** Contents of a secret: `v1:<nonce>:<AES-256-GCM of its JSON, and the tag>`, by Pulumi's passphrase provider. */
function opened({ ciphertext }: Secret, salt: string): unknown {
  const [, nonce = "", text = ""] = ciphertext.split(":");
  const sealed = Buffer.from(text, "base64");
  const decipher = createDecipheriv("aes-256-gcm", keyOf(salt), Buffer.from(nonce, "base64"));
  decipher.setAuthTag(sealed.subarray(-16));
  return JSON.parse(
    `${decipher.update(sealed.subarray(0, -16), undefined, "utf8")}${decipher.final("utf8")}`,
  );
}

const keys = new Map<string, Buffer>();

/** @param salt `v1:<salt>:<something sealed with the key>` */
function keyOf(salt: string): Buffer {
  const known = keys.get(salt);
  if (known !== undefined) return known;
  const key = pbkdf2Sync(
    PASSPHRASE,
    Buffer.from(salt.split(":")[1] ?? "", "base64"),
    1_000_000,
    32,
    "sha256",
  );
  keys.set(salt, key);
  return key;
}

/** The operations, the latest first. */
function storedHistory(directory: string): UpdateSummary[] {
  const date = (seconds: number) => new Date(seconds * 1000);
  const files = existsSync(directory) ? readdirSync(directory) : [];
  return files
    .filter((name) => name.endsWith(".history.json"))
    .sort()
    .reverse()
    .map((name) => readJson(join(directory, name)))
    .map((one) => ({ ...one, startTime: date(one.startTime), endTime: date(one.endTime) }));
}

/**
 * Makes a stack answer from its state.
 *
 * @param state Directory of the backend.
 */
export async function withStoredAnswers(stack: Stack, state: string): Promise<Stack> {
  const { name: project } = await stack.workspace.projectSettings();
  const of = (kind: string) => join(state, ".pulumi", kind, project, stack.name);
  const file = `${of("stacks")}.json`;
  return Object.assign(stack, {
    outputs: async () => storedOutputs(file),
    history: async () => storedHistory(of("history")),
  });
}

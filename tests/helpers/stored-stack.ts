/**
 * Reads a stack's outputs and operations from its state's files. Pulumi's Automation API calls the CLI three times after each
 * operation, which takes more CPU than a preview.
 */
import { createDecipheriv, pbkdf2Sync } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  LocalWorkspace,
  type LocalWorkspaceOptions,
  type OutputMap,
  type ProjectSettings,
  Stack,
  type UpdateSummary,
} from "@pulumi/pulumi/automation/index.js";

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

export const PASSPHRASE = "test";

/** `pulumi stack init`'s salt for {@link PASSPHRASE}. */
const SALT = "v1:m6z+8UrPzNs=:v1:T58slDlY8hYaSQtW:hbKhOyhAxloOKStjrzN5i2af609N5Q==";

/**
 * A stack of the project in `options.workDir`, created if missing.
 *
 * @param state Directory of the backend.
 */
export async function openStack(state: string, name: string, options: LocalWorkspaceOptions): Promise<Stack> {
  const workspace = await LocalWorkspace.create(options);
  const settings: ProjectSettings & { stackConfigDir?: string } = await workspace.projectSettings();
  const { name: project, stackConfigDir = "." } = settings;
  workspace.createStack = async () => {
    writeCheckpoint(join(state, ".pulumi"), project, name);
    writeSalt(join(workspace.workDir, stackConfigDir, `Pulumi.${name}.yaml`));
  };
  return Stack.create(name, workspace);
}

function writeCheckpoint(backend: string, project: string, name: string): void {
  const file = join(backend, "stacks", project, `${name}.json`);
  if (existsSync(file)) {
    return;
  }
  mkdirSync(join(backend, "stacks", project), { recursive: true });
  writeFileSync(join(backend, "meta.yaml"), "version: 1\n");
  const latest = { secrets_providers: { type: "passphrase", state: { salt: SALT } } };
  const checkpoint = { stack: `organization/${project}/${name}`, latest };
  writeFileSync(file, JSON.stringify({ version: 3, checkpoint }));
}

/** Adds the salt to the stack's configuration, which may exist already. */
function writeSalt(file: string): void {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (!/^encryptionsalt:/m.test(text)) {
    writeFileSync(file, `encryptionsalt: ${SALT}\n${text}`);
  }
}

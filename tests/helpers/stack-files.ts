/** Writes a new stack as files, like `pulumi stack init`, which saves half a second of CPU each. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  LocalWorkspace,
  type LocalWorkspaceOptions,
  type ProjectSettings,
  Stack,
} from "@pulumi/pulumi/automation/index.js";

/** The passphrase of all test stacks. */
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

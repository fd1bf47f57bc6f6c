/**
 * A new stack as files, as `pulumi stack init` would write them: half a second of a processor less for each.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  LocalWorkspace,
  type LocalWorkspaceOptions,
  type ProjectSettings,
  Stack,
} from "@pulumi/pulumi/automation/index.js";

/** The passphrase of all stacks of tests. */
export const PASSPHRASE = "test";

/** What `pulumi stack init` makes of {@link PASSPHRASE}. */
const SALT = "v1:m6z+8UrPzNs=:v1:T58slDlY8hYaSQtW:hbKhOyhAxloOKStjrzN5i2af609N5Q==";

/**
 * A stack of the project in `options.workDir`: a new one where there is none of that name.
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

/** Puts the salt into the stack's configuration, which may be there already. */
function writeSalt(file: string): void {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (!/^encryptionsalt:/m.test(text)) {
    writeFileSync(file, `encryptionsalt: ${SALT}\n${text}`);
  }
}

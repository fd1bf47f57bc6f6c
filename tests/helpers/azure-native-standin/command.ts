/**
 * A command plugin for tests in which nothing runs: keys are made in the process, and every remote command
 * succeeds without output, but where a fault is named: `node command.ts [file of faults] <address>`.
 */
import { newKeyPair } from "../../../components/shared/key-pair.ts";
import { commandResource } from "../../../plugins/command-standin/command-resource.ts";
import { connectEngineLog } from "../../../plugins/command-standin/engine-log.ts";
import { createOperations } from "../../../plugins/command-standin/operations.ts";
import { providerService } from "../../../plugins/command-standin/provider-service.ts";
import { localCommandShape, remoteCommandShape } from "../../../plugins/command-standin/shapes.ts";
import { faultOf } from "../cloud-faults.ts";
import { serve } from "./serve.ts";

const keyPair = commandResource(localCommandShape, async (_, { command }) => {
  if (!command.includes("generate-key-pair")) {
    throw new Error(`No local command but the key pair's was expected: ${command}`);
  }
  return { stdout: JSON.stringify(newKeyPair()), stderr: "" };
});
const [faults] = process.argv.slice(2, -1);
const silent = commandResource(remoteCommandShape, async ({ name }) => {
  const fault = faultOf(faults, { name, type: "Command", requests: 0 });
  if (fault !== undefined) {
    throw new Error(fault.error);
  }
  return { stdout: "", stderr: "" };
});

const resources: Record<string, typeof silent> = {
  "command:local:Command": keyPair,
  "command:remote:Command": silent,
};

async function resourceOf(type: string): Promise<typeof silent> {
  const resource = resources[type];
  if (resource === undefined) {
    throw new Error(`${type} was not expected`);
  }
  return resource;
}

serve(providerService(resourceOf, createOperations(connectEngineLog(process.argv.slice(2).at(-1)))));

/**
 * A command plugin for tests that runs nothing: keys are made in the process, and every remote command succeeds without output,
 * except for given faults.
 */

import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import { newShortKeyPair } from "../../../components/shared/key-pair.ts";
import { commandInputs, remoteCommandInputs } from "../../../tools/command-standin/check.ts";
import { commandResource } from "../../../tools/command-standin/command-resource.ts";
import { copyToRemote } from "../../../tools/command-standin/copy-to-remote.ts";
import { createOperations, type Resource } from "../../../tools/command-standin/operations.ts";
import { providerService } from "../../../tools/command-standin/provider-service.ts";
import { meetFault } from "../cloud-faults.ts";

const keyPair = commandResource(commandInputs, async (_, { command }) => {
  if (!command.includes("generate-key-pair")) {
    throw new Error(`No local command but the key pair's was expected: ${command}`);
  }
  return { stdout: JSON.stringify(newShortKeyPair()), stderr: "" };
});

/**
 * @param engine Address of its log.
 * @param faults File with faults. @default none
 */
export function commandService(engine: string | undefined, faults?: string): UntypedServiceImplementation {
  const silent = commandResource(remoteCommandInputs, async ({ name }) => {
    meetFault(faults, { name, type: "Command", requests: 0 });
    return { stdout: "", stderr: "" };
  });
  const resources: Readonly<Record<string, Resource>> = {
    "command:local:Command": keyPair,
    "command:remote:Command": silent,
    // Copies nothing; the inputs are checked as by the plugin's stand-in.
    "command:remote:CopyToRemote": {
      ...copyToRemote,
      create: async (_, inputs) => ({ id: "copied", outputs: inputs }),
      update: async (_operation, _state, inputs) => inputs,
    },
  };
  const resourceOf = async (type: string): Promise<Resource> => {
    const resource = resources[type];
    if (resource === undefined) {
      throw new Error(`${type} was not expected`);
    }
    return resource;
  };
  return providerService(resourceOf, createOperations(engine));
}

import { randomUUID } from "node:crypto";
import type { types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { type Role, roleSchema } from "../../bench/results/index.ts";
import { packedAgent } from "../benchmark/agent-sources.ts";
import { checkArgs, objectOf } from "../shared/args-schema.ts";
import { detachedAfter } from "../shared/detached.ts";
import type { Host } from "../shared/host.ts";
import { derivedKeyPair } from "../shared/key-pair.ts";
import type { SshKeyPair } from "../shared/ssh-key-pair.ts";
import type { HostUpSpec } from "./lab/host-up.ts";
import type { StartedHost } from "./lab/hosts.ts";
import type { LinkEnd } from "./lab/links.ts";
import type { LinkShape } from "./lab/shaping.ts";
import { labCommand, livingGeneration } from "./lab-command.ts";
import { labName } from "./lab-name.ts";

/** Linux's limit for a host name. */
const MAX_NAME_LENGTH = 64;

export const labSchema = z.strictObject({
  /** Name of the lab, usually the stack's; unique within the project and its backend. */
  name: z.string(),
  /** The key that opens the lab's hosts. */
  operatorKey: objectOf<SshKeyPair>("an SshKeyPair"),
});

/** Facts that all hosts of one lab share. */
export interface Lab extends Readonly<z.infer<typeof labSchema>> {}

export type EndArgs = Omit<LinkEnd, "host">;

export interface LinkEndArgs extends EndArgs {
  readonly host: LabHost;
}

/** The link that is made with a host. */
export interface OwnLink {
  readonly end: EndArgs;
  /** The other end, at an existing host. */
  readonly peer: LinkEndArgs;
  /** Rate and delay of the link. @default no limit, no delay */
  readonly shape?: LinkShape | undefined;
}

const labHostSchema = z.strictObject({
  lab: labSchema,
  role: roleSchema,
  /** Address that the other hosts use, without prefix length. */
  dataAddress: z.string(),
  /** Link made with the host, without a resource of its own in the state. @default none */
  link: objectOf<OwnLink>("{ end, peer, shape }", "peer").optional(),
});

/** A host's lab, role, address and link. */
export interface LabHostArgs extends Readonly<z.infer<typeof labHostSchema>> {}

/**
 * One Linux namespace set that behaves like a machine: a network, processes and a root of its own, and SSH
 * through 127.0.0.1. Everything it writes stays in memory; nothing is left when it is deleted.
 *
 * Needs Linux and root (or sudo without a password).
 *
 * Cost: nothing but the machine it runs on.
 *
 * @example
 * ```ts
 * import { SshKeyPair } from "egress-bench";
 * import * as local from "egress-bench/local";
 *
 * const lab = { name: "mine", operatorKey: new SshKeyPair("operator") };
 * const client = new local.LabHost("client", { lab, role: "client", dataAddress: "198.18.1.2" });
 * export const connection = client.connection;
 * ```
 */
export class LabHost extends pulumi.ComponentResource implements Host {
  readonly name: string;
  readonly role: Role;
  readonly lab: Lab;
  /** The lab's name on the machine, unique across projects. */
  readonly labName: string;
  readonly connection: pulumi.Output<types.input.remote.ConnectionArgs>;
  readonly dataAddress: string;
  readonly ready: readonly pulumi.Resource[];
  readonly identity: string;
  readonly agent: string;
  readonly machine: pulumi.CustomResource;

  constructor(name: string, args: LabHostArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:local:LabHost", name, {}, opts);
    checkArgs("LabHost", labHostSchema, args);
    const { lab } = args;
    checkName("name", name);
    checkName("lab.name", lab.name);
    // A host that died (a reboot, a crash) gets a new generation, and the next `pulumi up` makes it anew. The working
    // directory stands for the project: what the SDK reports as the project's root depends on the language host's version.
    this.labName = labName(lab.name, process.cwd(), process.env.PULUMI_BACKEND_URL);
    const generation = livingGeneration(this.labName, name) ?? randomUUID();
    // No triggers: a changed link or a newer agent comes with an update, and does not replace the host.
    this.agent = packedAgent().digest;
    const spec = { lab: this.labName, host: name, generation, agent: this.agent.slice(0, 16) };
    const machine = labCommand(
      name,
      {
        operation: "host-up",
        spec: hostSpec(spec, lab.operatorKey, args.link),
        triggers: [generation],
        undo: "host-down",
      },
      { parent: this },
    );
    this.name = name;
    this.role = args.role;
    this.lab = lab;
    this.dataAddress = args.dataAddress;
    this.identity = generation;
    this.machine = machine;
    this.ready = [machine];
    const started = machine.stdout.apply((text) => JSON.parse(text) as StartedHost);
    this.connection = pulumi.secret({
      host: "127.0.0.1",
      port: started.sshPort,
      user: "root",
      privateKey: lab.operatorKey.loginKey,
      hostKey: started.hostKey,
      perDialTimeout: 15,
    });
    this.registerOutputs({ dataAddress: this.dataAddress });
  }
}

export function labHost(
  name: string,
  lab: Lab,
  role: Role,
  dataAddress: string,
  parent: pulumi.Resource,
  link?: OwnLink,
): LabHost {
  return new LabHost(name, { lab, role, dataAddress, link }, { parent });
}

/** The host's own key is derived from the operator's, so that the state needs no further resource per host. */
function hostSpec(
  spec: Pick<HostUpSpec, "lab" | "host" | "generation" | "agent">,
  { loginKey, publicKey }: SshKeyPair,
  link: OwnLink | undefined,
) {
  return detachedAfter(
    link === undefined ? [] : [link.peer.host.machine],
    pulumi.all([loginKey, publicKey]).apply(([key, authorizedKey]) => ({
      ...spec,
      hostKey: derivedKeyPair(key, `host key of ${spec.host}`).privateKey,
      authorizedKey,
      ...(link && { link: linkSpec(spec.host, link) }),
    })),
  );
}

function linkSpec(host: string, { end, peer, shape = {} }: OwnLink): HostUpSpec["link"] {
  const ends = [
    { ...end, host },
    { ...peer, host: peer.host.name },
  ] as const;
  // The link is deleted with either host.
  return { ends, shape, peer: peer.host.identity };
}

function checkName(argument: string, value: string): void {
  if (value.length > MAX_NAME_LENGTH || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value)) {
    throw new Error(
      `${argument}: "${value}" cannot name a lab host; use 1 to ${MAX_NAME_LENGTH} letters, digits, dots, hyphens and underscores, starting with a letter or digit`,
    );
  }
}

/** Machines of a benchmark, which a pair returns and a benchmark takes. */
import * as pulumi from "@pulumi/pulumi";
import { type EgressPath, type Host, hostLogin } from "egress-bench";
import { z } from "zod";

/** A text that may be known later, as the library marks one. */
export const text = z.union([z.custom((value) => pulumi.Output.isInstance(value)), z.string()]);

/** An argument of a library's class, for a component here that has the same one. */
export function sameAs(schema: unknown, name: string): z.ZodType {
  return (schema as { readonly shape: Readonly<Record<string, z.ZodType>> }).shape[name] as z.ZodType;
}

/** A machine: its login, and its address for the others. */
export const hostSchema = z
  .strictObject({
    address: text.meta({ description: "Login address; with a jump host, the one that the jump host uses." }),
    port: z.int().optional().meta({ description: "Port of SSH.", default: 22 }),
    user: text.meta({ description: "User that logs in, who may become root by sudo." }),
    privateKey: text.meta({
      description: "Private key of that user, in OpenSSH's format, without passphrase.",
    }),
    hostKey: text.meta({ description: "Public key of the machine, which is verified." }),
    jumpAddress: text
      .optional()
      .meta({ description: "Address of the jump host, which the same key opens.", fallback: "none" }),
    jumpUser: text.optional().meta({ description: "User of the jump host.", fallback: "the machine's" }),
    jumpHostKey: text
      .optional()
      .meta({ description: "Public key of the jump host.", fallback: "not verified" }),
    dataAddress: text.meta({ description: "Address at which the other machines reach it." }),
    identity: text.meta({
      description: "Text that changes when the machine is replaced, such as its instance id.",
    }),
    size: text
      .optional()
      .meta({ description: "Size of the machine in the cloud's words.", fallback: "unknown" }),
    region: text.optional().meta({ description: "Region in the cloud's words.", fallback: "unknown" }),
    zone: text
      .optional()
      .meta({ description: "Availability zone in the cloud's words.", fallback: "unknown" }),
  })
  .meta({ title: "BenchHost" });

/** One machine, whole or in parts. */
export const hostInput = z.union([z.custom((value) => pulumi.Output.isInstance(value)), hostSchema]);

/** The machines of a path. Each is known once it accepts logins. @param own The server, where the path has none of its own. */
export function hostsOfPath({ client, server, serverAddress, observed }: EgressPath, own: Host) {
  const nat = observed.find(({ role }) => role === "nat");
  return {
    client: known(client),
    server: known(server ?? own, serverAddress),
    ...(nat && { natInstance: known(nat) }),
  };
}

function known(
  { connection, identity, size, region, zone, ready, ...host }: Host,
  dataAddress = host.dataAddress,
) {
  // Logins wait until these resources exist.
  const urns = ready.map(({ urn }) => urn);
  const facts = pulumi.output({ connection, dataAddress, identity, size, region, zone, urns });
  return facts.apply(({ connection: { proxy, host: address, ...login }, urns: _, ...rest }) => ({
    ...{ address, port: login.port ?? 22, user: login.user ?? "root" },
    ...{ privateKey: login.privateKey ?? "", hostKey: login.hostKey ?? "", ...rest },
    ...(proxy && { jumpAddress: proxy.host, jumpUser: proxy.user, jumpHostKey: proxy.hostKey }),
  }));
}

/** A machine in the library's form. @param name Name within the stack, for its resources and the results. */
export function hostOf(name: string, role: Host["role"], given: pulumi.Input<Record<string, unknown>>): Host {
  const machine = pulumi.output(given) as unknown as pulumi.Output<Record<string, string>>;
  const { dataAddress, identity, size, region, zone } = machine as unknown as Record<
    string,
    pulumi.Output<string>
  >;
  const connection = machine.apply(({ address, port = 22, user, privateKey, hostKey, ...jump }) => {
    const { jumpAddress, jumpUser = user, jumpHostKey } = jump;
    const through = jumpAddress && {
      connection: hostLogin({ host: jumpAddress, user: jumpUser, privateKey, hostKey: jumpHostKey }),
    };
    return hostLogin({
      host: address,
      port: Number(port),
      user,
      privateKey,
      hostKey,
      jump: through || undefined,
    });
  });
  return { name, role, dataAddress, identity, size, region, zone, connection, ready: [] } as Host;
}

/** The engine's own error message, from the output of a failed `pulumi`, and the remedy of a failed login. */
import { plainOutput } from "../../bench/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { clientName, serverName } from "../../components/shared/host-names.ts";
import { type ExistingOptions, existingOptions } from "../../stacks/hosts/settings.ts";
import type { StackFile } from "./stack-file.ts";

const MOST_LINES = 12;

/** @param error From the Automation API; other errors' messages stay as they are. */
export function engineWords({ message }: Error): string {
  const diagnostics = /Diagnostics:\n([\s\S]*?)(?:\n(?:Outputs|Resources|Duration):|$)/.exec(message)?.[1];
  // The rest of the message repeats it.
  const stderr = /^ stderr: ([\s\S]*?)^ err\?: /m.exec(message)?.[1];
  const lines = linesOf(diagnostics ?? stderr ?? message).filter(
    (line) => !/^Command failed with /.test(line),
  );
  const shown = lines.length > 0 ? lines : linesOf(message);
  return shown
    .slice(0, MOST_LINES)
    .join("\n  ")
    .replace(/^error: /, "");
}

function linesOf(text: string): string[] {
  return plainOutput(text)
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

type Login = ExistingOptions["client"];

const remedies: readonly (readonly [RegExp, (login: Login) => string])[] = [
  [
    /unable to authenticate/,
    ({ keyFile, user }) =>
      `${keyFile === undefined ? "none of the SSH agent's keys (ssh-add -l) is accepted" : `the key in ${keyFile} is not accepted`}: have its public key in ~/.ssh/authorized_keys of ${user} there, or give another keyFile`,
  ],
  [
    /host key mismatch/,
    ({ hostKey, address }) =>
      `it shows another key than ${hostKey === undefined ? `that of ${address} in ~/.ssh/known_hosts` : "hostKey"}: find out why before you trust the new one`,
  ],
  [
    /passphrase protected/,
    ({ keyFile }) => `the key in ${keyFile} has a passphrase: ssh-add ${keyFile}, and leave keyFile out`,
  ],
];

/** One line for each host that an engine error is about; empty for other errors. */
export function loginWords(
  error: string,
  { cloud, topologies }: Pick<StackFile, "cloud" | "topologies">,
): string {
  const remedy = remedies.find(([pattern]) => pattern.test(error))?.[1];
  if (!cloudRecords[cloud].isExisting || remedy === undefined) {
    return "";
  }
  const servers: string[] = [];
  const logins = topologies.flatMap(({ name, options }) => {
    const { client, server, nat } = existingOptions.safeParse(options).data ?? {};
    const place = `${server?.user}@${server?.address}:${server?.port}`;
    if (!servers.includes(place)) {
      servers.push(place);
    }
    return [
      [clientName(name, 1), client],
      [serverName(undefined, servers.indexOf(place) + 1), server],
      [`${name}-nat`, nat],
    ] as const;
  });
  const lines = logins.flatMap(([host, login]) =>
    login !== undefined && error.includes(`(${host}-visit)`) ? [hostWords(login, remedy)] : [],
  );
  return [...new Set(lines)].map((line) => `\n  ${line}`).join("");
}

function hostWords(login: Login, remedy: (login: Login) => string): string {
  const through =
    login.jump === undefined ? "" : `, or its jump host ${login.jump.user}@${login.jump.address}`;
  return `${login.user}@${login.address}:${login.port}${through}: ${remedy(login)}`;
}

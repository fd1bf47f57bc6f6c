/** The command `npm run nat-script`, separate from the process it runs in. */
import { Buffer } from "node:buffer";
import { resolve } from "node:path";
import { pricedClouds } from "../../bench/topologies/clouds.ts";
import { inboundLogins } from "../../components/nat-instance/cloud-machine.ts";
import { isEverybody } from "../../components/shared/cidr.ts";
import { type CloudConfigArgs, cloudConfig, MOST_BYTES } from "../../components/shared/cloud-init.ts";
import { gzipBase64 } from "../../components/shared/gzip.ts";
import { commands } from "../commands.ts";
import { oneOf } from "../options.ts";
import { EXIT, PROGRAM, runCommand } from "../program.ts";
import type { ReportIo } from "../report/command.ts";
import { writeOut } from "../terminal/result-files.ts";
import { UsageError } from "../usage-error.ts";
import { bootOf, optionsOf, setUpScript } from "./boot.ts";

/**
 * Largest user data in bytes, before base64. Azure's: learn.microsoft.com/azure/virtual-machines/custom-data,
 * 65,535 after base64.
 */
const mostBytes = { aws: MOST_BYTES, azure: (65_535 / 4) * 3 } as const;
const formats = ["cloud-config", "gzip", "script"] as const;

export function natScript(argv: readonly string[], io: ReportIo): number {
  return runCommand(commands["nat-script"], argv, io, (values) => {
    const cloud = oneOf("--cloud", values.cloud ?? "", pricedClouds);
    const format = oneOf("--format", values.format ?? (cloud === "aws" ? "gzip" : "cloud-config"), formats);
    const nat = optionsOf(values, io.directory);
    const ignored = Object.entries({
      "--extra-script": values["extra-script"],
      "--power-off-on-failure": values["power-off-on-failure"],
      ...{ packageMirror: nat.packageMirror, packageProxy: nat.packageProxy },
    }).find(([, given]) => given);
    if (format === "script" && ignored !== undefined) {
      throw new UsageError(
        `--format script is only the set-up, without ${ignored[0]}; leave one of them out`,
      );
    }
    const text =
      format === "script"
        ? setUpScript(values, nat)
        : userDataOf(cloud, format, bootOf(values, io.directory, nat), io);
    if (values.out === undefined) io.stdout.write(text);
    else writeOut(resolve(io.directory, values.out), text, values.out);
    const ssh = values["ssh-cidrs"]?.split(",").map((block) => block.trim()) ?? [];
    const logins = {
      "--ssh-cidrs": ssh,
      "--options: inbound": inboundLogins(nat),
    };
    for (const [option, blocks] of Object.entries(logins)) {
      if (isEverybody(blocks)) {
        io.stderr.write(
          `${PROGRAM} nat script: ${option} opens SSH to the whole internet; name your own address\n`,
        );
      }
    }
    return EXIT.ok;
  });
}

function userDataOf(
  cloud: keyof typeof mostBytes,
  format: "cloud-config" | "gzip",
  boot: CloudConfigArgs,
  { stderr }: Pick<ReportIo, "stderr">,
): string {
  const text = cloudConfig(boot);
  const packed = gzipBase64(text);
  const most = mostBytes[cloud];
  const bytes = Buffer.from(packed, "base64").length;
  if (bytes > most) {
    throw new Error(
      `the user data has ${bytes} bytes, compressed, but ${cloud} takes at most ${most}; let a short --extra-script fetch the rest`,
    );
  }
  if (format === "gzip") return `${packed}\n`;
  const plain = Buffer.byteLength(text);
  if (plain > most) {
    stderr.write(
      `${PROGRAM} nat script: ${cloud} takes at most ${most} bytes of these ${plain}; compress it, or leave --format out\n`,
    );
  }
  return text;
}

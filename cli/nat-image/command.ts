/** The command `npm run nat-image`, separate from the process it runs in. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { dataPlaneSchema } from "../../bench/results/hosts.ts";
import { REQUEST_PACKAGES } from "../../components/aws/signed-requests.ts";
import { natBoot } from "../../components/nat-instance/cloud-machine.ts";
import { HA_PACKAGES } from "../../components/nat-instance/index.ts";
import { cloudConfig } from "../../components/shared/cloud-init.ts";
import { ownTemporary } from "../../components/shared/files.ts";
import { commands } from "../commands.ts";
import { bootOf, isSetUp } from "../nat-script/boot.ts";
import { oneOf } from "../options.ts";
import { EXIT, runCommand } from "../program.ts";
import type { ReportIo } from "../report/command.ts";
import { assertWritable } from "../terminal/result-files.ts";

const formats = ["raw", "vhd", "qcow2"] as const;

export interface ImageRequest {
  readonly file: string;
  readonly format: (typeof formats)[number];
  readonly packages: readonly string[];
  /** cloud-init's own configuration, which user data replaces. @default none */
  readonly configuration?: string | undefined;
}

export interface ImageIo extends ReportIo {
  /** Makes it. @throws {Error} if that fails */
  readonly make: (request: ImageRequest) => Promise<void>;
}

export async function natImage(argv: readonly string[], io: ImageIo): Promise<number> {
  return runCommand(commands["nat-image"], argv, io, async (values) => {
    const format = oneOf("--format", values.format, formats);
    const out = values.out ?? `out/nat-image.${format}`;
    const file = resolve(io.directory, out);
    const configuration = isSetUp(values) ? cloudConfig(bootOf(values, io.directory)) : undefined;
    assertWritable(file);
    await io.make({ file, format, packages: everyNatPackage, configuration });
    io.stdout.write(`${out}\n`);
    return EXIT.ok;
  });
}

const program = fileURLToPath(new URL("../../setup/nat-image/make", import.meta.url));

/** Makes an image with `setup/nat-image/make`, whose progress goes to stderr. @throws {Error} if that fails */
export async function makeImage({ file, format, packages, configuration }: ImageRequest): Promise<void> {
  const given = join(ownTemporary("nat-image"), "configuration");
  writeFileSync(given, configuration ?? "", { mode: 0o600 });
  const argv = [program, file, format, packages.join(","), given];
  // The pipe closes with this process, however it ends.
  const [status, signal] = await once(spawn("bash", argv, { stdio: ["pipe", 2, 2] }), "close");
  if (status !== 0) throw new Error(`${file} could not be made: see above (${signal ?? `status ${status}`})`);
}

/** Debian packages for every data plane, for NAT64, for a pair, and for requests to AWS. */
export const everyNatPackage: readonly string[] = [
  ...new Set([
    ...dataPlaneSchema.options.flatMap((dataPlane) => natBoot({ dataPlane, nat64: true }).packages),
    ...HA_PACKAGES,
    ...REQUEST_PACKAGES,
  ]),
];

/** The command `npm run nat-script`, apart from the process it runs in. */
import { Buffer } from "node:buffer";
import { resolve } from "node:path";
import { parse } from "yaml";
import {
  NAT_UNIT,
  type NatOptions,
  natComponentOptions,
  natSetup,
} from "../../components/nat-instance/index.ts";
import { checkArgs } from "../../components/shared/args-schema.ts";
import { isEverybody } from "../../components/shared/cidr.ts";
import { cloudConfig, MOST_BYTES, smallCloudConfig } from "../../components/shared/cloud-init.ts";
import { readNamedFile } from "../../components/shared/files.ts";
import { gzipBase64 } from "../../components/shared/gzip.ts";
import { natBoot } from "../../components/shared/nat-set-up.ts";
import { parseOptions } from "../options.ts";
import type { ReportIo } from "../report/command.ts";
import { writeOut } from "../run/result-files.ts";
import { usageOf } from "../usage.ts";
import { UsageError } from "../usage-error.ts";
import { oneOf } from "../values.ts";

const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

const options = {
  cloud: { type: "string" },
  "private-cidrs": { type: "string" },
  "ssh-cidrs": { type: "string" },
  options: { type: "string" },
  "extra-script": { type: "string" },
  "power-off-on-failure": { type: "boolean", default: false },
  format: { type: "string", default: "cloud-config" },
  out: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

/**
 * Bytes of user data that a cloud takes, before base64. Azure's: learn.microsoft.com/azure/virtual-machines/custom-data,
 * 65,535 after base64.
 */
const mostBytes = { aws: MOST_BYTES, azure: (65_535 / 4) * 3 } as const;
const formats = ["cloud-config", "gzip", "script"] as const;

/** @returns the exit status */
export function natScript(argv: readonly string[], io: ReportIo): number {
  try {
    const { values } = parseOptions(argv, options, { allowPositionals: false });
    if (values.help) {
      io.stdout.write(usageOf("nat-script"));
    } else if (values.out === undefined) {
      io.stdout.write(textOf(values, io.directory));
    } else {
      writeOut(resolve(io.directory, values.out), textOf(values, io.directory), values.out);
    }
    const ssh = values.help ? [] : (values["ssh-cidrs"]?.split(",") ?? []);
    if (isEverybody(ssh.map((block) => block.trim()))) {
      io.stderr.write("npm run nat-script: --ssh-cidrs opens SSH to everybody; name your own address\n");
    }
    return EXIT.ok;
  } catch (error) {
    io.stderr.write(`npm run nat-script: ${(error as Error).message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

type Values = ReturnType<typeof parseOptions<typeof options, object>>["values"];

function textOf(values: Values, directory: string): string {
  const cloud = oneOf("--cloud", values.cloud ?? "", ["aws", "azure"]);
  const format = oneOf("--format", values.format, formats);
  const nat = values.options === undefined ? {} : natOptions(values.options, directory);
  const script = setUp(nat, blocks("--private-cidrs", values["private-cidrs"]), values["ssh-cidrs"]);
  if (format === "script") {
    return script;
  }
  const text = (format === "gzip" ? smallCloudConfig : cloudConfig)({
    ...natBoot(nat),
    script,
    extraScript: values["extra-script"] && read("--extra-script", values["extra-script"], directory),
    powerOffWithout: values["power-off-on-failure"] ? NAT_UNIT : undefined,
  });
  const printed = format === "gzip" ? `${gzipBase64(text)}\n` : text;
  const bytes = Buffer.from(printed, format === "gzip" ? "base64" : "utf8").length;
  if (bytes > mostBytes[cloud]) {
    const shorter =
      format === "gzip"
        ? "let a short --extra-script fetch the rest"
        : "--format gzip makes it a third as long";
    throw new Error(
      `the user data has ${bytes} bytes, but ${cloud} takes at most ${mostBytes[cloud]}; ${shorter}`,
    );
  }
  return printed;
}

/** @throws {UsageError} for options that make no set-up, or none of one machine */
function setUp(nat: NatOptions, privateCidrs: readonly string[], ssh: string | undefined): string {
  try {
    return natSetup({
      ...nat,
      privateCidrs,
      ...(ssh === undefined ? {} : { sshCidrs: blocks("--ssh-cidrs", ssh) }),
    });
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(message.replace(/^(private|ssh)Cidrs\b/gm, "--$1-cidrs"));
  }
}

/** @throws {UsageError} naming what is no option, or no value of it */
function natOptions(file: string, directory: string): NatOptions {
  const text = read("--options", file, directory);
  const given = inYaml(text, file);
  try {
    checkArgs("a NAT instance", natComponentOptions, given);
  } catch (error) {
    throw new UsageError(`--options: ${file}: ${(error as Error).message}`);
  }
  return natComponentOptions.parse(given);
}

function inYaml(text: string, file: string): unknown {
  try {
    return parse(text) ?? {};
  } catch (error) {
    throw new UsageError(`--options: ${file} cannot be read as YAML: ${(error as Error).message}`);
  }
}

/** @throws {Error} naming option and file */
function read(option: string, file: string, directory: string): string {
  try {
    return readNamedFile(resolve(directory, file));
  } catch (error) {
    throw new Error(`${option}: ${file} cannot be read: ${(error as Error).message}`);
  }
}

/** @throws {UsageError} where it is left out */
function blocks(option: string, text: string | undefined): string[] {
  if (text === undefined) {
    throw new UsageError(`${option}: expected IPv4 blocks, such as 10.0.1.0/24,10.0.2.0/24; got nothing`);
  }
  return text.split(",").map((block) => block.trim());
}

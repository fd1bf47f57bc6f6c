/** Builds a NAT instance's first boot from command-line options, for user data and for an image. */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { parse } from "yaml";
import { natBoot } from "../../components/nat-instance/cloud-machine.ts";
import {
  NAT_UNIT,
  type NatOptions,
  natComponentOptions,
  natSetup,
} from "../../components/nat-instance/index.ts";
import { checkArgs } from "../../components/shared/args-schema.ts";
import type { CloudConfigArgs } from "../../components/shared/cloud-init.ts";
import type { commands } from "../commands.ts";
import { textOf } from "../options.ts";
import type { Values } from "../program.ts";
import { UsageError } from "../usage-error.ts";

type SetUp = Omit<Values<(typeof commands)["nat-script"]>, "cloud" | "files" | "format" | "out">;

export function isSetUp({ options, ...values }: SetUp): boolean {
  return (
    [options, values["private-cidrs"], values["ssh-cidrs"], values["extra-script"]].some(Boolean) ||
    values["power-off-on-failure"]
  );
}

/** @throws {UsageError} for options that do not make the set-up of one machine */
export function bootOf(
  values: SetUp,
  directory: string,
  nat = optionsOf(values, directory),
): CloudConfigArgs {
  const extra = values["extra-script"];
  return {
    ...natBoot(nat),
    script: setUpScript(values, nat),
    extraScript: extra === undefined ? extra : extraScript(extra, directory),
    powerOffWithout: values["power-off-on-failure"] ? NAT_UNIT : undefined,
  };
}

/** @throws {UsageError} for options that do not make the set-up of one machine */
export function setUpScript(values: SetUp, nat: NatOptions): string {
  const privateCidrs = blocks("--private-cidrs", values["private-cidrs"]);
  const ssh = values["ssh-cidrs"];
  try {
    return natSetup({
      ...nat,
      privateCidrs,
      ...(ssh === undefined ? {} : { sshCidrs: blocks("--ssh-cidrs", ssh) }),
    });
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(message.replace(/^(private|ssh)Cidrs\b(\[\d+\])?/gm, "--$1-cidrs"));
  }
}

/** @throws {UsageError} naming the line that no shell could read */
function extraScript(file: string, directory: string): string {
  const script = textOf("--extra-script", file, directory);
  if (/^(?!#!)|^#!.*\b(ba|da)?sh\b/.test(script)) {
    const { stderr } = spawnSync("bash", ["-n", resolve(directory, file)], { encoding: "utf8" });
    const wrong = /: line \d+: (?!warning).*/.exec(stderr ?? "")?.[0];
    if (wrong !== undefined) throw new UsageError(`--extra-script: ${file}${wrong}; correct it`);
  }
  return script;
}

/** Options in the file of `--options`; none without one. @throws {UsageError} naming an unknown option or invalid value */
export function optionsOf({ options: file }: SetUp, directory: string): NatOptions {
  if (file === undefined) {
    return {};
  }
  const given = inYaml(textOf("--options", file, directory), file);
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

function blocks(option: string, text: string | undefined): string[] {
  const given = text?.split(",").map((block) => block.trim());
  const other = given === undefined ? "nothing" : given.find((block) => block.includes(":"));
  if (given === undefined || other !== undefined) {
    const instead =
      given && option === "--private-cidrs"
        ? "; for IPv6 give privateIpv6Cidrs in the file of --options"
        : "";
    throw new UsageError(
      `${option}: expected IPv4 blocks, such as 10.0.1.0/24,10.0.2.0/24; got ${other}${instead}`,
    );
  }
  return given;
}

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { tools as benchTools } from "../../../bench/tools/index.ts";
import { isRoot, SYSTEM_PATH } from "./machine.ts";

/** Executables that a lab needs, each with its purpose. */
const tools: Readonly<Record<string, string>> = {
  ip: "network interfaces (package iproute2)",
  tc: "link rates and delays (package iproute2)",
  unshare: "namespaces (package util-linux)",
  nsenter: "entering namespaces (package util-linux)",
  nft: "the NAT instance's rules (package nftables)",
  socat: "the SSH listener (package socat)",
  sshd: "SSH into hosts (package openssh-server)",
  python3: "the host agent (package python3)",
  ...benchmarkTools(),
};

/** Further executables that a pair of NAT instances needs. */
const pairTools: Readonly<Record<string, string>> = {
  conntrackd: "the standby's copy of connections (package conntrackd)",
};

/** The benchmark's tools. A lab's hosts have the machine's programs: nothing is installed later. */
function benchmarkTools(): Record<string, string> {
  return Object.fromEntries(
    Object.values(benchTools).flatMap(({ executables, packages = [], question }) =>
      packages.length === 0
        ? []
        : executables.map((name) => [
            name,
            `measures ${question.replaceAll("-", " ")} (package ${packages[0]})`,
          ]),
    ),
  );
}

/**
 * Refuses a machine that cannot carry a lab, before anything is made.
 * @throws {Error} naming the missing tools and the remedy.
 */
export function assertLabMachine(): void {
  if (process.platform !== "linux") {
    throw new Error(
      `The local lab is made of Linux network namespaces; this is ${process.platform}. Use a Linux machine or a virtual one, or a cloud stack.`,
    );
  }
  assertInstalled(tools);
  if (!isRoot() && spawnSync("sudo", ["-n", "true"]).status !== 0) {
    throw new Error(
      "The local lab needs root, or sudo without a password, to make network namespaces. Run as root, or `sudo -v` first.",
    );
  }
}

/** Refuses a machine that cannot carry a pair of NAT instances. @throws {Error} as {@link assertLabMachine} */
export function assertPairPrograms(): void {
  assertInstalled(pairTools);
}

function assertInstalled(wanted: Readonly<Record<string, string>>): void {
  const missing = Object.keys(wanted).filter((tool) => !isInstalled(tool));
  if (missing.length > 0) {
    const list = missing.map((tool) => `  ${tool}: ${wanted[tool]}`).join("\n");
    throw new Error(`The local lab needs tools that are not installed:\n${list}\nRun \`npm run setup\`.`);
  }
}

function isInstalled(tool: string): boolean {
  return SYSTEM_PATH.split(":").some((directory) => {
    try {
      accessSync(`${directory}/${tool}`, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

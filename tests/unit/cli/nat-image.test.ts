/** `npm run nat-image`: the contents of an image. Real images: tests/system/nat-image.test.ts. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { everyNatPackage, type ImageRequest, natImage } from "../../../cli/nat-image/command.ts";
import { natScript } from "../../../cli/nat-script/command.ts";
import { natBoot } from "../../../components/nat-instance/cloud-machine.ts";
import { HA_PACKAGES } from "../../../components/nat-instance/index.ts";
import { temporaryDirectory } from "../../helpers/temporary.ts";

const directory = temporaryDirectory();

async function run(argv: readonly string[], failure?: Error) {
  const said = { stdout: "", stderr: "" };
  const made: ImageRequest[] = [];
  const stream = (name: keyof typeof said) => ({ write: (text: string) => (said[name] += text) });
  const io = { stdout: stream("stdout"), stderr: stream("stderr"), directory };
  const make = async (request: ImageRequest) => {
    if (failure !== undefined) throw failure;
    made.push(request);
  };
  return { status: await natImage(argv, { ...io, make }), made, ...said };
}

describe("npm run nat-image", () => {
  test("has nat-script's own text as its configuration", async () => {
    const setUp = ["--private-cidrs", "10.0.1.0/24", "--power-off-on-failure"];
    const made = await run([...setUp, "--format", "vhd"]);
    const script = { stdout: "" };
    const stdout = { write: (text: string) => (script.stdout += text) };
    natScript([...setUp, "--cloud", "azure"], { stdout, stderr: process.stderr, directory });
    expect(made.made).toEqual([
      {
        file: join(directory, "out/nat-image.vhd"),
        format: "vhd",
        packages: everyNatPackage,
        configuration: script.stdout,
      },
    ]);
    expect(made).toMatchObject({ status: 0, stdout: "out/nat-image.vhd\n" });
  });

  test("without private blocks it waits for user data", async () => {
    const { made } = await run(["--out", "nat.raw"]);
    expect(made).toEqual([
      {
        file: join(directory, "nat.raw"),
        format: "raw",
        packages: everyNatPackage,
        configuration: undefined,
      },
    ]);
  });

  test("has the packages of each option and of a pair", () => {
    const asked = [
      ...(["iptables", "nftables", "flowtable"] as const).flatMap(
        (dataPlane) => natBoot({ dataPlane }).packages,
      ),
      ...natBoot({ nat64: true }).packages,
      ...HA_PACKAGES,
      "curl",
    ];
    expect([...everyNatPackage].sort()).toEqual([...new Set(asked)].sort());
  });

  test.each([
    [["--format", "vmdk"], "--format: expected raw or vhd or qcow2"],
    [["--ssh-cidrs", "203.0.113.7/32"], "--private-cidrs: expected IPv4 blocks"],
    [["--private-cidrs", "10.0.0.0/33"], "--private-cidrs"],
  ])("%j ends with 2, and nothing is made", async (argv, expected) => {
    const { status, stderr, made } = await run(argv);
    expect(stderr).toContain(expected);
    expect({ status, made }).toEqual({ status: 2, made: [] });
  });

  test("an image that could not be made ends with 1", async () => {
    const { status, stderr } = await run(["--out", "nat.raw"], new Error("no room"));
    expect({ status, stderr }).toEqual({ status: 1, stderr: "egress-bench nat image: no room\n" });
  });
});

/** `npm run nat-script`: the components' own user data, for machines that others make. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { natScript } from "../../../cli/nat-script/command.ts";
import { natSetup } from "../../../components/nat-instance/index.ts";
import { cloudInitSchema } from "../../helpers/cloud-init-schema.ts";
import { temporaryDirectory } from "../../helpers/temporary.ts";

const directory = temporaryDirectory();

function run(...argv: string[]) {
  const said = { stdout: "", stderr: "" };
  const stream = (name: keyof typeof said) => ({ write: (text: string) => (said[name] += text) });
  const io = { stdout: stream("stdout"), stderr: stream("stderr"), directory };
  return { status: natScript(argv, io as unknown as Parameters<typeof natScript>[1]), ...said };
}

function file(name: string, content: string): string {
  writeFileSync(join(directory, name), content);
  return name;
}

const blocks = ["--private-cidrs", "10.0.1.0/24, 10.0.2.0/24"];
const aws = ["--cloud", "aws", ...blocks];
const azure = ["--cloud", "azure", ...blocks];

const written = (text: string, name: string) =>
  (
    parse(text) as {
      readonly write_files: readonly { readonly path: string; readonly content: string }[];
      readonly runcmd: readonly unknown[];
    }
  ).write_files.find(({ path }) => path.endsWith(`/${name}`))?.content;

describe("npm run nat-script", () => {
  test("prints the set-up that the components give their machines, with its options", () => {
    const options = file("nat.yaml", "dataPlane: nftables\nportRange: { first: 2000, last: 2999 }\n");
    const args = {
      privateCidrs: ["10.0.1.0/24", "10.0.2.0/24"],
      sshCidrs: ["203.0.113.7/32"],
      dataPlane: "nftables",
      portRange: { first: 2000, last: 2999 },
    } as const;
    const { stdout } = run(
      ...aws,
      "--ssh-cidrs",
      "203.0.113.7/32",
      "--options",
      options,
      "--format",
      "script",
    );
    expect(stdout).toBe(natSetup(args));
  });

  test("prints a document that cloud-init accepts, without our keys and unrequested flags", () => {
    const extra = file("mine.sh", "#!/bin/sh\ntouch /run/mine\n");
    const documents = {
      plain: run(...azure).stdout,
      full: run(...azure, "--extra-script", extra, "--power-off-on-failure").stdout,
    };
    const verdicts = cloudInitSchema(documents);
    expect(Object.values(verdicts).filter(({ valid }) => !valid)).toEqual([]);
    expect(documents.plain).not.toMatch(/ssh_keys|PRIVATE KEY|FailureAction/);
    expect(written(documents.full, "extra")).toBe("#!/bin/sh\ntouch /run/mine\n");
    expect(documents.full).toContain("FailureAction=poweroff");
  });

  test("for AWS, which has no room for the plain document, it is in gzip and base64; the plain one is to be compressed", () => {
    const plain = run(...azure).stdout;
    expect(run(...aws).stdout).toBe(run(...azure, "--format", "gzip").stdout);
    expect(gunzipSync(Buffer.from(run(...aws).stdout, "base64")).toString()).toBe(plain);
    expect(run(...aws, "--format", "cloud-config")).toEqual({
      status: 0,
      stdout: plain,
      stderr: `egress-bench nat script: aws takes at most 16384 bytes of these ${plain.length}; compress it, or leave --format out\n`,
    });
    const random = createHash("shake256", { outputLength: 20_000 }).update("a").digest("base64");
    const tooLong = run(...aws, "--extra-script", file("random.sh", random));
    expect(tooLong).toMatchObject({ status: 1, stdout: "" });
    expect(tooLong.stderr).toMatch(
      /has \d{5} bytes, compressed, but aws takes at most 16384; let a short --extra-script/,
    );
    const extra = file("long.sh", `#!/bin/sh\n${"echo again\n".repeat(1000)}`);
    expect(run(...aws, "--extra-script", extra).status).toBe(0);
    expect(run(...azure, "--extra-script", extra).status).toBe(0);
  });

  test.each([
    [["--private-cidrs", "10.0.1.0/24"], "--cloud: expected aws or azure; got nothing"],
    [["--cloud", "gcp", "--private-cidrs", "10.0.1.0/24"], '--cloud: expected aws or azure; got "gcp"'],
    [
      ["--cloud", "aws"],
      "--private-cidrs: expected IPv4 blocks, such as 10.0.1.0/24,10.0.2.0/24; got nothing",
    ],
    [["--cloud", "aws", "--private-cidrs", "0.0.0.0/0"], "would make an open NAT of the machine"],
    [
      ["--cloud", "aws", "--private-cidrs", "10.0.1.0/24,fd00::/8"],
      "--private-cidrs: expected IPv4 blocks, such as 10.0.1.0/24,10.0.2.0/24; got fd00::/8; for IPv6 give privateIpv6Cidrs in the file of --options",
    ],
    [
      [...aws, "--ssh-cidrs", "2001:db8::/32"],
      "--ssh-cidrs: expected IPv4 blocks, such as 10.0.1.0/24,10.0.2.0/24; got 2001:db8::/32",
    ],
    [
      ["--cloud", "aws", "--private-cidrs", "10.0.1.0/24;reboot"],
      '--private-cidrs: "10.0.1.0/24;reboot" is not an IPv4 CIDR block',
    ],
    [[...aws, "--format", "toml"], '--format: expected cloud-config or gzip or script; got "toml"'],
    [
      [...aws, "--options", "unknown.yaml"],
      "unknown.yaml: dataPlan: is not an argument of a NAT instance; did you mean dataPlane?",
    ],
    [[...aws, "--options", "broken.yaml"], "broken.yaml cannot be read as YAML"],
    [[...aws, "--options", "plane.yaml"], "needs dataPlane nftables or flowtable"],
    [[...aws, "--extra-script", "broken.sh"], "--extra-script: broken.sh: line 3: syntax error"],
    [[...aws, "--extra-script", "unended.sh"], "--extra-script: unended.sh: line 2: syntax error"],
    ...[
      ["--extra-script", "--extra-script", "mine.sh"],
      ["--power-off-on-failure", "--power-off-on-failure"],
      ["packageMirror", "--options", "mirror.yaml"],
      ["packageProxy", "--options", "proxy.yaml"],
    ].map(([ignored = "", ...argv]): [string[], string] => [
      [...aws, "--format", "script", ...argv],
      `--format script is only the set-up, without ${ignored}; leave one of them out`,
    ]),
  ])("%j ends with 2 and says what is right", (argv, said) => {
    file("unknown.yaml", "dataPlan: nftables\n");
    file("broken.yaml", "a: [");
    file("broken.sh", "#!/bin/bash\necho one\nif true; then fi\n");
    file("unended.sh", "if true; then\n");
    file("mine.sh", "#!/bin/sh\necho mine\n");
    file("mirror.yaml", "packageMirror: http://mirror.example/debian\n");
    file("proxy.yaml", "packageProxy: http://proxy.example:3128\n");
    file("plane.yaml", "dataPlane: iptables\nportRange: { first: 2000, last: 2999 }\n");
    const { status, stdout, stderr } = run(...argv);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(said);
  });

  test("--ssh-cidrs of everybody is warned of", () => {
    const { status, stderr } = run(...azure, "--ssh-cidrs", "0.0.0.0/1, 128.0.0.0/1");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: "egress-bench nat script: --ssh-cidrs opens SSH to the whole internet; name your own address\n",
    });
  });

  test("reads the file of --options once: --out may replace it", () => {
    const options = file("replaced.yaml", "inbound: [{ protocol: tcp, port: 22, cidrs: [0.0.0.0/0] }]\n");
    const said = run(...aws, "--options", options, "--format", "script", "--out", options);
    expect(said.stderr).toMatch(/--options: inbound opens SSH to the whole internet/);
    expect(said.status).toBe(0);
    expect(readFileSync(join(directory, options), "utf8")).toMatch(/^#!/);
  });

  test("port 22 of everybody in --options is warned of", () => {
    const options = (cidrs: string) =>
      file("logins.yaml", `inbound: [{ protocol: tcp, port: 22, cidrs: [${cidrs}] }]\n`);
    expect(run(...azure, "--options", options("0.0.0.0/1, 128.0.0.0/1"))).toMatchObject({
      status: 0,
      stderr:
        "egress-bench nat script: --options: inbound opens SSH to the whole internet; name your own address\n",
    });
    expect(run(...azure, "--options", options("203.0.113.7/32")).stderr).toBe("");
  });

  test("--out writes the output to a file", () => {
    expect(run(...azure, "--out", "user-data.yaml")).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(readFileSync(join(directory, "user-data.yaml"), "utf8")).toBe(run(...azure).stdout);
    expect(run(...azure, "--out", "/proc/none/user-data.yaml").status).toBe(1);
  });

  test.each([
    ["another interpreter's", "#!/usr/bin/env python3\nprint((1))\n"],
    ["no interpreter named, with a here-document", "cat <<end\n)\nend\n"],
  ])("an --extra-script is taken: %s", (_, content) => {
    expect(run(...azure, "--extra-script", file("own", content))).toMatchObject({ status: 0, stderr: "" });
  });

  test("a file that is not there ends with 2", () => {
    const { status, stderr } = run(...aws, "--extra-script", "none.sh");
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("none.sh cannot be read"),
    });
  });
});

/** Files of the Pulumi package derived from Terraform's provider, which declares the same names in camel case. */
const declared: Readonly<Record<string, string>> = {
  aws_eip: "ec2/eip",
  aws_instance: "ec2/instance",
  aws_network_interface: "ec2/networkInterface",
  aws_route: "ec2/route",
  aws_security_group: "ec2/securityGroup",
};
const terraform = readFileSync(new URL("../../../docs/examples/nat-instance.tf", import.meta.url), "utf8");
const resources = [...terraform.matchAll(/^resource "(\w+)" "\w+" \{\n([\s\S]*?)^\}/gm)].map(
  ([, type = "", body = ""]) => [type, body] as const,
);

test("the example for Terraform has a resource of each kind that forwarding needs", () => {
  expect(resources.map(([type]) => type).sort()).toEqual(Object.keys(declared).sort());
  expect(terraform).toMatch(/source_dest_check = false/);
});

test.each(resources)("the example for Terraform: the provider's %s has each argument", (type, body) => {
  const own = body.replaceAll(/^ {4}.*\n/gm, "");
  const names = [...own.matchAll(/^ {2}(\w+)(?: +=| \{)/gm)].map(([, name = ""]) => name);
  const arguments_ = names.filter((name) => !["for_each", "depends_on", "lifecycle"].includes(name));
  const text = readFileSync(
    new URL(`../../../node_modules/@pulumi/aws/${declared[type]}.d.ts`, import.meta.url),
    "utf8",
  );
  const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  expect(arguments_.length).toBeGreaterThan(1);
  const singular = (name: string) => [camel(name), `${camel(name)}s`];
  const missing = arguments_.filter(
    (name) => !singular(name).some((one) => text.includes(`    ${one}?: pulumi`)),
  );
  expect(missing).toEqual([]);
  const deprecated = [...text.matchAll(/@deprecated [^*]*\*\/\n {4}(\w+)\?: pulumi/g)].map(
    ([, name = ""]) => name,
  );
  expect(arguments_.filter((name) => singular(name).some((one) => deprecated.includes(one)))).toEqual([]);
});

/**
 * The examples of a NAT instance without Pulumi, under their own tools: the AWS CDK makes a template, which its own
 * CloudFormation check accepts, and OpenTofu reads the syntax. Opt-in: `npm test -- --project languages` fetches the one
 * from npm, builds the other with Go (3 minutes of a processor), and keeps it in the user's cache. Not proved: Terraform's
 * own `validate`, which needs the AWS provider from a registry; the provider's names are compared with the Pulumi package
 * made from it.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const directory = mkdtempSync(`${tmpdir()}/egress-bench-without-pulumi-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function natScript(file: string, ...argv: string[]): void {
  const command = ["cli/main.ts", "nat", "script", "--cloud", "aws", ...argv, "--out", join(directory, file)];
  execFileSync(process.execPath, command, { cwd: root });
}

type Properties = Readonly<Record<string, unknown>>;

describe("the AWS CDK", () => {
  test("makes a template in which private routes lead to a machine with our user data", () => {
    cpSync(`${root}docs/examples/nat-instance-cdk.ts`, join(directory, "app.ts"));
    writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
    natScript("nat-user-data.b64", "--private-cidrs", "10.0.0.0/16", "--format", "gzip");
    const packages = ["aws-cdk-lib@2.276.0", "constructs@10.5.0"];
    execFileSync("npm", ["install", "--no-audit", "--no-fund", ...packages], {
      cwd: directory,
      stdio: "pipe",
    });
    execFileSync(process.execPath, ["app.ts"], {
      cwd: directory,
      env: { ...process.env, CDK_OUTDIR: "out" },
    });
    const { Resources } = JSON.parse(readFileSync(join(directory, "out/egress.template.json"), "utf8")) as {
      readonly Resources: Readonly<
        Record<string, { readonly Type: string; readonly Properties: Properties }>
      >;
    };
    const of = (type: string) =>
      Object.entries(Resources)
        .filter(([, { Type }]) => Type === `AWS::EC2::${type}`)
        .map(([name, { Properties }]) => ({ name, ...Properties }) as Properties & { name: string });
    const [machine, ...more] = of("Instance");
    expect(more).toEqual([]);
    expect(machine).toMatchObject({
      SourceDestCheck: false,
      UserData: readFileSync(join(directory, "nat-user-data.b64"), "utf8").trim(),
    });
    const toMachine = of("Route").filter(({ InstanceId }) => InstanceId !== undefined);
    expect(toMachine.length).toBeGreaterThanOrEqual(1);
    for (const route of toMachine) {
      expect(route).toMatchObject({
        DestinationCidrBlock: "0.0.0.0/0",
        InstanceId: { Ref: machine?.name },
        RouteTableId: { Ref: expect.stringContaining("PrivateSubnet") },
      });
    }
    expect(of("SecurityGroup").flatMap(({ SecurityGroupIngress: rules }) => rules ?? [])).toEqual([
      expect.objectContaining({ CidrIp: { "Fn::GetAtt": [expect.stringContaining("vpc"), "CidrBlock"] } }),
    ]);
  });
});

describe("Terraform", () => {
  const example = `${root}docs/examples/nat-instance.tf`;

  test("OpenTofu reads it, in its own command's format", () => {
    const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "egress-bench");
    const built = execFileSync("bash", [fileURLToPath(new URL("opentofu.sh", import.meta.url)), cache], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(() =>
      execFileSync(built.trim(), ["fmt", "-check", "-diff", example], { stdio: "pipe" }),
    ).not.toThrow();
    const broken = join(directory, "broken.tf");
    writeFileSync(broken, readFileSync(example, "utf8").replace("{", ""));
    expect(() => execFileSync(built.trim(), ["fmt", broken], { stdio: "pipe" })).toThrow(/Invalid|Argument/);
  });
});

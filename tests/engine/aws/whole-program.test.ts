/**
 * The whole program on AWS, previewed and deployed by the real engine with stand-ins of the providers: its messages on an
 * account's quotas, its needs on the operator's machine, and a dry run against a stand-in of AWS such as moto or
 * LocalStack, which needs only configuration and environment. Parts that log in can be left out.
 *
 * Not proved: that the real provider and moto agree; docs/aws.md says what was tried.
 */
import { expect, it } from "vitest";
import { createAwsEngine } from "../../helpers/aws-standin/engine.ts";
import { judged } from "../../helpers/judged.ts";
import { shared } from "../../helpers/shared.ts";

const endpoint = "http://127.0.0.1:5000";
const flags = {
  "aws:skipCredentialsValidation": true,
  "aws:skipRequestingAccountId": true,
  "aws:skipMetadataApiCheck": true,
};

const engine = shared(createAwsEngine, (one) => one.dispose());

it("names a new account's shortages before anything is made, and passes endpoint and flags to the ordinary provider, by environment or by configuration", async () => {
  const operators = createAwsEngine({ environment: { AWS_ENDPOINT_URL: endpoint }, startsAll: true });
  try {
    const stack = await operators.wholeStack("aws-direct", {
      ...flags,
      "aws:endpoints": [{ ec2: endpoint, ssm: endpoint }],
    });
    // The quotas must be there within five seconds.
    await judged(
      () => stack.preview(),
      ({ stdout }) => {
        expect(stdout).toMatch(
          /This stack needs 36 of vCPUs of on-demand Standard instances .*the limit is 5\./,
        );
        expect(stdout).not.toMatch(/needs .* of VPCs/);
        expect(stdout).not.toContain("deprecated");
      },
    );

    const { args, environment } = operators.configured();
    expect(environment).toEqual({ AWS_ENDPOINT_URL: endpoint });
    expect(args).toMatchObject({
      region: "us-east-1",
      skipCredentialsValidation: "true",
      skipRequestingAccountId: "true",
      skipMetadataApiCheck: "true",
    });
    expect(JSON.parse(String(args.endpoints))).toEqual([{ ec2: endpoint, ssm: endpoint }]);
  } finally {
    operators.dispose();
  }
});

it("is silent about sufficient quotas, and names a small stack's types that a free plan refuses", async () => {
  const stack = await engine.wholeStack("aws-direct", { "egress-bench:aws": { size: "small" } });
  const { stdout } = await stack.preview();
  expect(stdout).not.toMatch(/This stack needs|cannot be read/);
  expect(stdout).toContain("size: small takes c7g.medium, which an account on AWS's free plan cannot launch");
});

it("makes everything that needs no login in a dry run, and removes it again", async () => {
  const stack = await engine.wholeStack("aws-direct", flags);
  await stack.up({ exclude: ["**command:remote:Co**"], excludeDependents: true });
  const made = Object.values(engine.cloud().resources).map(({ kind }) => kind);
  expect(made.filter((kind) => kind === "Instance")).toHaveLength(2);
  const state = (await engine.resources(stack)).filter(({ type }) => !type.startsWith("pulumi:"));
  // Each of many pairs' servers admits each client: the state would name the clients' resources as often.
  const admitting = state.find(({ urn }) => urn.endsWith("::server-sg"));
  expect(admitting).toMatchObject({ propertyDependencies: { ingress: [] } });
  await stack.destroy();
  expect(engine.cloud().resources).toEqual({});
});

it("stays small in a preview of aws-compare", async () => {
  const stack = await engine.wholeStack("aws-compare");
  await stack.preview();
  const { seconds, megabytes } = engine.measured();
  console.log(`The program took ${seconds.toFixed(1)} s and ${megabytes.toFixed(0)} MB.`);
  // 279 to 322 were seen with the compiler that the SDK loads, as garbage is collected or not; a whole package of a cloud takes a thousand.
  expect(megabytes).toBeLessThan(400);
});

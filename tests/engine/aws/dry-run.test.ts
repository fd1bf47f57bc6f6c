/**
 * A dry run against a stand-in of AWS, such as moto or LocalStack, needs configuration and environment and nothing of the
 * program: what docs/aws.md says reaches the provider, and what logs in can be left out.
 *
 * Not proved: that the real provider and moto agree; docs/aws.md says what was tried.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AwsEngine, createAwsEngine } from "../../helpers/aws-standin/engine.ts";

const endpoint = "http://127.0.0.1:5000";
const flags = {
  "aws:skipCredentialsValidation": true,
  "aws:skipRequestingAccountId": true,
  "aws:skipMetadataApiCheck": true,
};

let engine: AwsEngine;
beforeAll(() => {
  engine = createAwsEngine({ AWS_ENDPOINT_URL: endpoint });
});
afterAll(() => engine.dispose());

describe("a dry run", () => {
  it("hands endpoint and flags to the ordinary provider, by environment or by configuration", async () => {
    const stack = await engine.stack("aws-direct", {
      ...flags,
      "aws:endpoints": [{ ec2: endpoint, ssm: endpoint }],
    });
    await stack.preview();
    const { args, environment } = engine.configured();
    expect(environment).toEqual({ AWS_ENDPOINT_URL: endpoint });
    expect(args).toMatchObject({
      region: "us-east-1",
      skipCredentialsValidation: "true",
      skipRequestingAccountId: "true",
      skipMetadataApiCheck: "true",
    });
    expect(JSON.parse(String(args.endpoints))).toEqual([{ ec2: endpoint, ssm: endpoint }]);
  });

  it("makes all that no login is needed for, and takes it away again", async () => {
    const stack = await engine.wholeStack("aws-direct", flags);
    await stack.up({ exclude: ["**command:remote:Command**"], excludeDependents: true });
    const made = Object.values(engine.cloud().resources).map(({ kind }) => kind);
    expect(made.filter((kind) => kind === "Instance")).toHaveLength(2);
    await stack.destroy();
    expect(engine.cloud().resources).toEqual({});
  });
});

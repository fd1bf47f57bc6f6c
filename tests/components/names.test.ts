/** Names with quotes and a command in them: no command and no script of a NAT instance contains them. */
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { NatInstance as AwsNatInstance } from "../../components/aws/nat-instance.ts";
import { NatInstance as AzureNatInstance } from "../../components/azure/nat-instance.ts";
import { mocked as onAws } from "../helpers/aws-standin/mocks.ts";
import { place as awsPlace, ssh } from "../helpers/aws-standin/nat.ts";
import { mocked as onAzure } from "../helpers/azure-mocks.ts";

const NAME = "it's\"$(touch pwned)`touch pwned`";
const azurePlace = {
  resourceGroupName: "group",
  location: "japaneast",
  subnetId: "10.0.0.0/24",
  privateCidrs: ["10.0.1.0/24"],
};

/** Shell text of a resource. */
function scripts({ type, inputs }: { type: string; inputs: Record<string, unknown> }): string[] {
  const {
    create,
    update,
    delete: end,
    stdin,
    userData,
    userDataBase64,
    osProfile,
  } = inputs as Record<string, string>;
  const { customData } = (osProfile ?? {}) as { customData?: string };
  const packed = [userDataBase64, customData].flatMap((text) => {
    const bytes = Buffer.from(text ?? "", "base64");
    return text === undefined ? [] : [bytes[0] === 0x1f ? gunzipSync(bytes).toString() : bytes.toString()];
  });
  const commands = /:Command$/.test(type) ? [create, update, end, stdin] : [];
  return [...commands, userData, ...packed].filter((text) => typeof text === "string");
}

const makers = {
  "aws, one machine": () => onAws(() => new AwsNatInstance(NAME, { ...awsPlace, ssh })),
  "aws, a pair": () => onAws(() => new AwsNatInstance(NAME, { ...awsPlace, ssh, highAvailability: {} })),
  "aws, a group of one": () =>
    onAws(() => new AwsNatInstance(NAME, { ...awsPlace, autoHeal: true, cloudWatch: true })),
  "azure, one machine": () => onAzure(() => new AzureNatInstance(NAME, { ...azurePlace, ssh })),
};

describe.each(Object.entries(makers))("a NAT instance named with quotes: %s", (_, make) => {
  it("has no part of them in commands and scripts", async () => {
    const { resources } = await make();
    const texts = (resources as readonly Parameters<typeof scripts>[0][]).flatMap(scripts);
    expect(texts.length).toBeGreaterThan(0);
    const lines = texts.flatMap((text) => text.split("\n"));
    const named = lines.filter((line) => line.includes("touch pwned"));
    // The mocks name their keys in this way.
    expect(named.filter((line) => !/^ +(private key of|ssh-ed25519) /.test(line))).toEqual([]);
  });
});

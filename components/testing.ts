/**
 * Mocks for unit tests of programs that use the components: `egress-bench/testing`.
 *
 * @module egress-bench/testing
 */
import type * as pulumi from "@pulumi/pulumi";

/** A resource's outputs, or a function's result. */
type State = Record<string, unknown>;

/** What a test decides itself, before the mocks do. Undefined leaves it to the mocks. */
export interface MockAnswers {
  /** A resource's outputs beside its inputs. */
  readonly newResource?: (args: pulumi.runtime.MockResourceArgs) => State | undefined;
  /** A function's result. */
  readonly call?: (args: pulumi.runtime.MockCallArgs) => State | undefined;
}

/**
 * Mocks for `pulumi.runtime.setMocks` that return what a cloud would decide: ids, addresses, images, keys. They know none of the
 * cloud's rules and run no command: a benchmark's cases all fail.
 *
 * @param answers What the test decides itself.
 * @throws {Error} by a call of a function that no component calls, unless `answers.call` returns its result.
 * @example
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { mocks } from "egress-bench/testing";
 *
 * await pulumi.runtime.setMocks(mocks());
 * ```
 */
export function mocks(answers: MockAnswers = {}): pulumi.runtime.Mocks {
  let made = 0;
  return {
    newResource(args) {
      const { name, type, inputs } = args;
      made += 1;
      const own = decided(type, name, inputs, made);
      const azure = addresses(inputs, `10.0.0.${made % 256}`);
      return { id: `${name}-id`, state: { ...own, ...inputs, ...azure, ...answers.newResource?.(args) } };
    },
    call(args) {
      const result = answers.call?.(args) ?? called[args.token.split(":").at(-1) ?? ""]?.(args.inputs);
      if (result === undefined) {
        const message = `${args.token}: expected a function that the components call; answer it by answers.call`;
        throw Object.assign(new Error(message), { details: message }); // Pulumi tells the details alone
      }
      return result;
    },
  };
}

/** Azure decides them within inputs. */
function addresses({ ipConfigurations: ends }: State, privateIPAddress: string): State {
  return ends ? { ipConfigurations: (ends as State[]).map((end) => ({ privateIPAddress, ...end })) } : {};
}

/** Outputs that the cloud, the lab, or the engine decides. @param made How many resources there are, so that addresses differ */
function decided(type: string, name: string, inputs: State, made: number): State {
  // Ranges for documents (RFC 5737) and for private networks (RFC 1918).
  const [publicIp, privateIp] = [`203.0.113.${made % 256}`, `10.0.0.${made % 256}`];
  switch (type) {
    case "pulumi:index:Stash":
      return { output: inputs.input };
    case "command:local:Command":
      // A key pair, or the ports of a lab's host.
      return {
        stdout: JSON.stringify({
          publicKey: `ssh-ed25519 ${name}`,
          privateKey: `key of ${name}`,
          sshPort: 22,
        }),
      };
    case "command:remote:Command":
      return { stdout: "" };
  }
  const arn = type.startsWith("aws:") ? { arn: `arn:aws:mock:us-east-1:123456789012:${name}` } : {};
  const networkInterface = {
    privateIp,
    privateIps: Array.from(
      { length: 1 + Number(inputs.privateIpsCount ?? 0) },
      (_, at) => `10.0.${at}.${made % 256}`,
    ),
    primaryNetworkInterfaceId: `${name}-interface-id`,
  };
  const azure = { vmId: `${name}-vm-id`, ipAddress: publicIp };
  return { name, ...arn, ...networkInterface, ...azure, publicIp, availabilityZone: "us-east-1a" };
}

/** Results of the functions that components call, by the last part of the token. */
const called: Readonly<Record<string, (args: State) => State>> = {
  getPartition: () => ({ partition: "aws", dnsSuffix: "amazonaws.com" }),
  getAvailabilityZones: () => ({ names: ["us-east-1a", "us-east-1b"] }),
  getInstanceTypeOfferings: ({ filters }) => {
    const types = (filters as { values: string[] }[])[0]?.values ?? [];
    return { instanceTypes: types, locations: types.map(() => "us-east-1a") };
  },
  getServiceQuota: () => ({ value: 1000 }),
  getParameter: ({ name }) => ({ name, value: "ami-0123456789abcdef0" }),
  getAmi: () => ({ id: "ami-0123456789abcdef0", architecture: "arm64", rootDeviceName: "/dev/xvda" }),
  getInstanceType: ({ instanceType }) => ({
    instanceType,
    maximumIpv4AddressesPerInterface: 4,
    networkCards: [{ index: 0, baselineBandwidth: 0.128, peakBandwidth: 5 }],
  }),
  getVirtualNetwork: () => ({
    location: "eastus",
    subnets: [
      { id: "subnet-public", name: "public", addressPrefix: "10.0.0.0/24" },
      {
        id: "subnet-private",
        name: "private",
        addressPrefix: "10.0.1.0/24",
        routeTable: {
          id: "/subscriptions/mock/resourceGroups/mock/providers/Microsoft.Network/routeTables/rt-private",
        },
      },
    ],
  }),
  getEips: () => ({ allocationIds: [] }),
  getElasticIp: ({ id }) => ({ id, networkInterfaceId: "", privateIp: "" }),
  getInstance: () => ({ rootBlockDevices: [{}] }),
  getSubnet: ({ id }) => ({
    ...{ id, vpcId: "vpc-id", cidrBlock: "10.0.0.0/24" },
    availabilityZone: String(id).endsWith("2") ? "us-east-1b" : "us-east-1a",
  }),
  getSubnets: () => ({ ids: ["subnet-public", "subnet-private"] }),
  getNatGateway: ({ id }) => ({ id, state: "available", connectivityType: "public", vpcId: "vpc-id" }),
  getNetworkInterface: () => ({ attachments: [] }),
  getRouteTables: () => ({ ids: ["rtb-public", "rtb-private"] }),
  getRouteTable: ({ routeTableId }) => ({
    routeTableId,
    ...(routeTableId === "rtb-public"
      ? {
          routes: [{ cidrBlock: "0.0.0.0/0", gatewayId: "igw-mock" }],
          associations: [{ subnetId: "subnet-public" }],
        }
      : { routes: [], associations: [{ subnetId: "subnet-private" }] }),
  }),
};

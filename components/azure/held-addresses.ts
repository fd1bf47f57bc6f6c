/** Addresses that Azure would refuse, because another interface holds them. */
import { getNetworkInterface } from "@pulumi/azure-native/network/getNetworkInterface.js";
import { getPublicIPAddress } from "@pulumi/azure-native/network/getPublicIPAddress.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { checkedAtPreview } from "../shared/preview-check.ts";
import { namesInId } from "./common.ts";
import type { LinuxHost } from "./linux-host.ts";

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/**
 * A public address's id, for an interface that gets it in an update: Azure gives no address that another one holds.
 * @param machines The machine, and those whose interfaces change before its own.
 * @returns One of the machine's outputs, refused where the address is held.
 * @throws {pulumi.InputPropertyError} by the output.
 */
export function freeForUpdate(
  publicIpId: pulumi.Input<string>,
  machines: readonly [LinuxHost, ...LinuxHost[]],
): pulumi.Output<string> {
  const [{ networkInterface: parent }] = machines;
  const own = machines.map(({ networkInterface }) => networkInterface.id);
  return checkedAtPreview(
    pulumi.all([publicIpId, ...own]),
    async ([id, ...interfaces]) => {
      const names = namesInId("Network/publicIPAddresses/*", id as string);
      const [resourceGroupName = "", publicIpAddressName = ""] = names;
      const found = await getPublicIPAddress({ resourceGroupName, publicIpAddressName }, { parent });
      const holder =
        found.natGateway?.id ?? found.ipConfiguration?.id?.replace(/\/\w+Configurations\/.*/, "");
      return { id, holder, isOwn: interfaces.some((one) => isSame(one, holder ?? one)) };
    },
    ({ id, holder, isOwn }) => {
      if (!isOwn) {
        throw invalid(
          "publicIps",
          `${id} belongs to ${holder}; take it away there with a pulumi up of its own before this one (docs/azure.md#keep-a-public-address)`,
        );
      }
    },
  ).apply(([id]) => id as string);
}

/**
 * Refuses to swap a pair's private addresses: the first machine's new one is still held by the second, which changes after
 * it.
 * @returns The second machine's.
 * @throws {pulumi.InputPropertyError} by the output.
 */
export function unswapped(
  wanted: readonly pulumi.Input<string>[],
  second: LinuxHost,
): pulumi.Output<string | undefined> {
  const { networkInterface } = second;
  return checkedAtPreview(
    pulumi.all([networkInterface.id, ...wanted]),
    async ([id, ofFirst, ofSecond]) => {
      const names = namesInId("Network/networkInterfaces/*", id as string);
      const [resourceGroupName = "", networkInterfaceName = ""] = names;
      const place = { resourceGroupName, networkInterfaceName };
      const { ipConfigurations = [] } = await getNetworkInterface(place, { parent: networkInterface });
      return { ofFirst, ofSecond, had: ipConfigurations.map(({ privateIPAddress }) => privateIPAddress) };
    },
    ({ ofFirst, had }) => {
      if (had.includes(ofFirst)) {
        throw invalid(
          "highAvailability.privateAddresses",
          `${ofFirst} belongs to the second machine; give the second a third address and run pulumi up, then give ${ofFirst} to the first, then the second its own`,
        );
      }
    },
  ).apply(([, , ofSecond]) => ofSecond);
}

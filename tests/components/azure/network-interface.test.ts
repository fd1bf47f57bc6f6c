/**
 * Address configurations of network interfaces. Azure knows a configuration by its name: a private address of Azure's
 * choice stays as long as its name does, and another name means another configuration with another address.
 */
import { expect, it } from "vitest";
import { LinuxHost } from "../../../components/azure/index.ts";
import { mocked } from "../../helpers/azure-mocks.ts";

/** Address configurations of a machine with that many addresses. */
async function configurations(
  count: number,
): Promise<
  { readonly name: string; readonly primary: boolean; readonly publicIPAddress?: { readonly id: string } }[]
> {
  const stack = await mocked(
    () =>
      new LinuxHost("host", {
        resourceGroupName: "group",
        location: "japaneast",
        role: "nat",
        size: "Standard_B2ats_v2",
        subnetId: "subnet",
        addresses: [{}, ...Array.from({ length: count - 1 }, () => ({}))],
        rules: [],
        userData: ({ privateAddresses }) => privateAddresses.apply((all) => all.join()),
      }),
  );
  return stack.inputs("NetworkInterface", "host-nic").ipConfigurations;
}

it("the first address is the primary one, under the name that running machines already use", async () => {
  const [first, ...others] = await configurations(3);
  // Another name would give a live machine another private address, and its clients' routes a dead next hop.
  expect(first).toMatchObject({ name: "primary", primary: true });
  expect(others.map(({ primary }) => primary)).toEqual([false, false]);
});

it("more or fewer addresses keep the names of the others", async () => {
  const names = async (count: number) => (await configurations(count)).map(({ name }) => name);
  const [one, two, three] = [await names(1), await names(2), await names(3)];
  expect(two.slice(0, 1)).toEqual(one);
  expect(three.slice(0, 2)).toEqual(two);
  expect(new Set(three).size).toBe(3);
});

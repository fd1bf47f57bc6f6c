/** SKUs to which Azure resizes an ExpressRoute gateway. Not proved: the source document is of November 2023. */
import { expect, it } from "vitest";
import { expressRouteSkus, isChangedInPlace } from "../../../components/azure/virtual-network-gateway.ts";

it("an ExpressRoute gateway grows within its family, and shrinks from the second SKU to the first", () => {
  const others = (was: string) =>
    expressRouteSkus.filter((wanted) => wanted !== was && isChangedInPlace(was, wanted));
  expect(Object.fromEntries(expressRouteSkus.map((was) => [was, others(was)]))).toEqual({
    Standard: ["HighPerformance", "UltraPerformance"],
    HighPerformance: ["Standard", "UltraPerformance"],
    UltraPerformance: [],
    ErGw1AZ: ["ErGw2AZ", "ErGw3AZ"],
    ErGw2AZ: ["ErGw1AZ", "ErGw3AZ"],
    ErGw3AZ: [],
  });
  // Azure's own spelling is Az.
  expect(isChangedInPlace("ErGw2Az", "ErGw2AZ")).toBe(true);
});

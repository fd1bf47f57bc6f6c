import { PlanError } from "./plan-error.ts";

/** @throws {PlanError} where a payload's length is given for a protocol that has no datagrams. */
export function checkDatagrams(
  values: { readonly protocol: "tcp" | "udp"; readonly datagramBytes: number | null },
  where: string,
): void {
  if (values.protocol === "tcp" && values.datagramBytes !== null) {
    throw new PlanError(
      `${where}: datagramBytes: got ${values.datagramBytes} with protocol tcp; expected with protocol udp only`,
    );
  }
}

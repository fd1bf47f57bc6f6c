import { z } from "zod";
import { architecture } from "./sizes.ts";

/** Settings of an image. */
export const imageSchema = z.strictObject({
  publisher: z.string().describe("Publisher of the image, such as `Canonical`."),
  offer: z.string().describe("Offer of the publisher, such as `ubuntu-24_04-lts`."),
  sku: z.string().describe("SKU of the offer, such as `server-arm64`; must fit the machine's architecture."),
  version: z.string().describe("Version of the SKU, or `latest`, which changes over time."),
});

/** A marketplace image. */
export interface Image extends Readonly<z.infer<typeof imageSchema>> {}

/**
 * Ubuntu 24.04 LTS, generation 2, pinned so that runs of different months are comparable. For a newer one: `az vm image
 * list --publisher Canonical --offer ubuntu-24_04-lts --sku server --all --output table`.
 */
const UBUNTU_VERSION = "24.04.202609040";

export function defaultImage(size: string): Image {
  return {
    publisher: "Canonical",
    offer: "ubuntu-24_04-lts",
    sku: architecture(size) === "arm64" ? "server-arm64" : "server",
    version: UBUNTU_VERSION,
  };
}

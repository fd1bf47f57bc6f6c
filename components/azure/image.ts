/** The image that virtual machines boot from. */
import { z } from "zod";
import { schemaOf } from "../shared/args-schema.ts";
import { architecture } from "./sizes.ts";

/** A marketplace image. */
export interface Image {
  /** Such as `Canonical`. */
  readonly publisher: string;
  /** Such as `ubuntu-24_04-lts`. */
  readonly offer: string;
  /** Such as `server-arm64`; must fit the machine's architecture. */
  readonly sku: string;
  /** A version, or `latest`, which changes under a stack. */
  readonly version: string;
}

/** The members of an image, for settings and components. */
export const imageSchema = schemaOf<Image>({
  publisher: z.string().describe("The image's publisher."),
  offer: z.string().describe("The image's offer."),
  sku: z.string().describe("The image's SKU."),
  version: z.string().describe("The image's version."),
});

/**
 * Ubuntu 24.04 LTS, generation 2, pinned so that runs of different months compare. A newer one:
 * `az vm image list --publisher Canonical --offer ubuntu-24_04-lts --sku server --all --output table`.
 */
const UBUNTU_VERSION = "24.04.202609040";

/** The default image for a size, of the size's architecture. */
export function defaultImage(size: string): Image {
  return {
    publisher: "Canonical",
    offer: "ubuntu-24_04-lts",
    sku: architecture(size) === "arm64" ? "server-arm64" : "server",
    version: UBUNTU_VERSION,
  };
}

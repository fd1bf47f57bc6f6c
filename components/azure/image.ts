/** The image that virtual machines boot from. */
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

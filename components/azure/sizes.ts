/** Facts of a virtual machine that follow from its size. */
import { hasAcceleratedNetworking, machineOf } from "../../bench/machines/index.ts";
import { invalid } from "../shared/arguments.ts";

/**
 * Whether a network interface gets accelerated networking.
 * @param demanded Undefined: where the size has it.
 * @throws {pulumi.InputPropertyError} when demanded of a size without it.
 */
export function acceleratedNetworking(size: string, demanded: boolean | undefined): boolean {
  if (demanded === true && !hasAcceleratedNetworking(size)) {
    throw invalid(
      "acceleratedNetworking",
      `size ${size} has no accelerated networking; choose another size, such as Standard_D2ls_v5, or leave acceleratedNetworking out`,
    );
  }
  return demanded ?? hasAcceleratedNetworking(size);
}

/**
 * Facts that a machine keeps for life: Azure resizes only between sizes with the same temporary disk and disk controller.
 * Sizes missing from the table of machines are recognized by their names.
 * @returns Such as `scsi, temporary disk`.
 */
export function resizeClass(size: string): string {
  const known = machineOf(size);
  const named = byName(size);
  const temporaryDisk = known === null ? named.temporaryDisk : known.temporaryDiskGib > 0;
  return `${known?.diskController ?? named.controller}${temporaryDisk ? ", temporary disk" : ""}`;
}

/**
 * Sizes before version 4 of D, E and F, version 3 of L and M, and version 2 of B have a temporary disk; later ones have one
 * where their name has a `d` behind the number of vCPUs; some are the opposite. Sizes from version 6 on have NVMe controllers
 * only. FXmsv2's and FXmdsv2's pages do not say whether they have SCSI ones too, so each is a class of its own.
 *
 * Source: learn.microsoft.com/azure/virtual-machines/azure-vms-no-temp-disk and enable-nvme-interface; "NVMe storage" on the
 * pages of FXmsv2 and FXmdsv2, editions of 2025-05-23; read on 2026-11-23.
 */
function byName(size: string) {
  const [, family = "", features = "", version = "1"] =
    /^Standard_([A-Z]+)\d+(?:-\d+)?([a-z]*)(?:_.*?v(\d+))?$/i.exec(size) ?? [];
  const firstWithout = { B: 2, L: 3, M: 3 }[family[0]?.toUpperCase() ?? ""] ?? 4;
  const named = Number(version) < firstWithout || features.toLowerCase().includes("d");
  const series = `${family}${features}`.toLowerCase();
  const ofVersion = Number(version) >= 6 ? "nvme" : "scsi";
  return {
    temporaryDisk: named !== unlikeTheirNames.some((pattern) => pattern.test(size)),
    controller: /^fxmd?s$/.test(series) && version === "2" ? series : ofVersion,
  };
}

/**
 * Sizes whose temporary disk differs from the rule: the first AMD sizes of D and E, NVv4, Lsv3 and Lasv3 have one; DCsv3
 * and Msv2 of up to 192 vCPUs have none.
 *
 * Source: "Local storage" on the series' pages below learn.microsoft.com/azure/virtual-machines/sizes, editions of
 * 2024-07-31 (Lsv3, Lasv3, NVv4), 2024-08-01 (Easv4) and 2026-03-10 (Dasv4, DCsv3), and "Msv2 medium memory diskless" of
 * learn.microsoft.com/azure/virtual-machines/msv2-mdsv2-series, read on 2026-11-23.
 */
const unlikeTheirNames = [
  /^Standard_[DE]\d+(-\d+)?as?_v4$/i,
  /^Standard_NV\d+as_v4$/i,
  /^Standard_L\d+a?s_v3$/i,
  /^Standard_DC\d+s_v3$/i,
  /^Standard_M(32|64|128|192)i?m?s_v2$/i,
];

/** Processor architecture of a size; Azure marks Arm with a `p` after the number of vCPUs: Standard_D4ps_v5. */
export function architecture(size: string): "x64" | "arm64" {
  return /^Standard_[A-Z]+\d+(-\d+)?[a-z]*p[a-z]*(_|$)/.test(size) ? "arm64" : "x64";
}

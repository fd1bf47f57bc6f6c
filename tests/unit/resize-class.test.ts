/** Azure's sizes between which a machine is not resized. The replacement itself: tests/engine/azure/component-changes.test.ts. */
import { expect, it } from "vitest";
import { resizeClass } from "../../components/azure/sizes.ts";

const disk = ", temporary disk";

it.each([
  ["a temporary disk", "Standard_D2ls_v5", "Standard_D2lds_v5", "scsi", `scsi${disk}`],
  ["a disk controller", "Standard_D2ls_v5", "Standard_D2ls_v6", "scsi", "nvme"],
  ["a disk its name does not show", "Standard_D2as_v4", "Standard_D2as_v5", `scsi${disk}`, "scsi"],
  ["a disk of an early name", "Standard_M32ms_v2", "Standard_M32dms_v2", "scsi", `scsi${disk}`],
  [
    "a controller its name does not show",
    "Standard_E4ds_v5",
    "Standard_FX4mds_v2",
    `scsi${disk}`,
    `fxmds${disk}`,
  ],
  ["a disk, though its name is early", "Standard_DC2s_v3", "Standard_D2s_v3", "scsi", `scsi${disk}`],
  ["disk and controller", "Standard_B1s", "Standard_D2ls_v6", `scsi${disk}`, "nvme"],
  ["nothing: the same early disk", "Standard_D2as_v4", "Standard_E2as_v4", `scsi${disk}`, `scsi${disk}`],
  ["nothing: no disk in either", "Standard_D2ls_v5", "Standard_D4ls_v5", "scsi", "scsi"],
])("differ by %s", (_, one, other, ofOne, ofOther) => {
  expect([one, other].map(resizeClass)).toEqual([ofOne, ofOther]);
});

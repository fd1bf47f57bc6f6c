import { z } from "zod";
import { DAYS } from "./operators/index.ts";

/** When unattended upgrades run, and whether they may reboot the machine. */
export const upgradeWindowSchema = z
  .strictObject({
    at: z
      .string()
      .regex(
        new RegExp(`^((${DAYS.join("|")}) )?([01]\\d|2[0-3]):[0-5]\\d$`),
        "must be a time of day, such as 03:30, or of a week, such as Sun 03:30",
      )
      .meta({
        description:
          "`03:30` for each night, or `Sun 03:30`, in the machine's own time, which is UTC in a cloud.",
      }),
    reboot: z.boolean().optional().meta({
      description: "Whether the machine then reboots if an upgrade, such as a new kernel, needs it.",
      default: false,
    }),
  })
  .readonly();

/**
 * Shell that keeps unattended upgrades to a time of one's choice.
 *
 * @module
 */
import { z } from "zod";

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

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
      description:
        "Whether the machine reboots afterwards where an upgrade asks for it, as one of the kernel does.",
      default: false,
    }),
  })
  .readonly();

/** When packages are upgraded. */
export type UpgradeWindow = z.infer<typeof upgradeWindowSchema>;

/** An hour later: for a pair's second machine, so that never both are at it. */
export function anHourLater({ at, ...window }: UpgradeWindow): UpgradeWindow {
  const [time = "", day] = at.split(" ").reverse();
  const hour = Number(time.slice(0, 2)) + 1;
  const next = DAYS[(DAYS.indexOf(day as (typeof DAYS)[number]) + 1) % DAYS.length];
  const shown = `${String(hour % 24).padStart(2, "0")}${time.slice(2)}`;
  const date = day === undefined ? "" : `${hour < 24 ? day : next} `;
  return { ...window, at: `${date}${shown}` };
}

/** As systemd writes it: `Sun *-*-* 03:30`. */
function calendarOf({ at }: UpgradeWindow): string {
  const [time, day] = at.split(" ").reverse();
  return `${day === undefined ? "" : `${day} `}*-*-* ${time}`;
}

/**
 * Defines `set_upgrade_window`. The image's own timer runs each morning, within an hour, and at boot where it was missed:
 * all three go. While hosts measure the agent holds the lock that an upgrade waits for.
 */
export function upgradeWindowScript(window: UpgradeWindow): string {
  return `
set_upgrade_window() {
  if [ ! -d /run/systemd/system ] || ! systemctl cat apt-daily-upgrade.timer >/dev/null 2>&1; then
    note "no upgrade window: this machine has no apt-daily-upgrade.timer"
    return
  fi
  command -v unattended-upgrade >/dev/null || note "upgradeWindow: nothing upgrades this machine; install unattended-upgrades"
  mkdir -p /etc/systemd/system/apt-daily-upgrade.timer.d
  cat > /etc/systemd/system/apt-daily-upgrade.timer.d/egress-bench.conf <<'END_OF_TIMER'
[Timer]
OnCalendar=
OnCalendar=${calendarOf(window)}
RandomizedDelaySec=0
Persistent=false
END_OF_TIMER
  cat > /etc/apt/apt.conf.d/90egress-bench <<'END_OF_APT'
Unattended-Upgrade::Automatic-Reboot "${window.reboot ?? false}";
Unattended-Upgrade::Automatic-Reboot-Time "now";
END_OF_APT
  { systemctl daemon-reload && systemctl try-restart apt-daily-upgrade.timer; } ||
    note "no upgrade window: systemd does not take it"
}
`;
}

/** Shell that keeps unattended upgrades to a time of one's choice. */
/** Days as systemd writes them, and as the option does. */
export const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** When packages are upgraded. The option's schema is in `upgrade-window-args.ts`, as the lab loads this file without zod. */
export interface UpgradeWindow {
  readonly at: string;
  readonly reboot?: boolean | undefined;
}

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

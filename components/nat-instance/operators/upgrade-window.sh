# Limits unattended upgrades to a window. The image's own timers are removed: one each morning, within an hour, and at boot
# after a missed one. During measurements the agent holds the lock that an upgrade waits for. Settings: upgrade_calendar,
# upgrade_reboot.

set_upgrade_window() {
  if [ ! -d /run/systemd/system ] || ! systemctl cat apt-daily-upgrade.timer >/dev/null 2>&1; then
    note "no upgrade window: this machine has no apt-daily-upgrade.timer"
    return
  fi
  command -v unattended-upgrade >/dev/null || note "upgradeWindow: nothing upgrades this machine; install unattended-upgrades"
  mkdir -p /etc/systemd/system/apt-daily-upgrade.timer.d
  cat > /etc/systemd/system/apt-daily-upgrade.timer.d/egress-bench.conf <<END_OF_TIMER
[Timer]
OnCalendar=
OnCalendar=$upgrade_calendar
RandomizedDelaySec=0
Persistent=false
END_OF_TIMER
  cat > /etc/apt/apt.conf.d/90egress-bench <<END_OF_APT
Unattended-Upgrade::Automatic-Reboot "$upgrade_reboot";
Unattended-Upgrade::Automatic-Reboot-Time "now";
END_OF_APT
  { systemctl daemon-reload && systemctl try-restart apt-daily-upgrade.timer; } ||
    note "no upgrade window: systemd does not take it"
}

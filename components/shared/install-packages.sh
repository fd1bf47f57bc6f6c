# Installs packages: waits for the locks of the image's own package runs, tries again while mirrors are out of reach, and asks
# nothing (iperf3's package would ask whether to start a daemon). Machines whose user data has another text are replaced: this
# one stays as it is. Setting: packages.

# The clock may jump while the machine boots; its uptime does not.
uptime_seconds() {
  cut -d . -f 1 /proc/uptime
}

apt() {
  apt-get -q -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2 -o Acquire::http::Timeout=15 "$@" </dev/null
}

# Not quoted below: words of their own.
all_there() {
  # shellcheck disable=SC2086
  there=$(dpkg-query -W -f '${db:Status-Status}\n' $packages 2>/dev/null) &&
    [ "$(printf '%s\n' "$there" | sort -u)" = installed ]
}

deadline=$(($(uptime_seconds) + 600))
# shellcheck disable=SC2086
until all_there || { apt update && apt install -y --no-install-recommends $packages; }; do
  if [ "$(uptime_seconds)" -ge "$deadline" ]; then
    echo "egress-bench: not installed within 600 s: $packages; has this machine a way out to its package mirrors?" >&2
    exit 1
  fi
  sleep 5
done

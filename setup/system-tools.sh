# Programs of the operating system for the lab, the benchmark and the tests.
# shellcheck shell=bash

# PATH of a lab host, which logs in over SSH: the user's own PATH (pyenv, conda) does not count.
SYSTEM_PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# executable | Debian package | why
SYSTEM_TOOLS='
python3    | python3         | runs the host agent
iperf3     | iperf3          | measures TCP and UDP throughput, loss and jitter
sockperf   | sockperf        | measures latency
irtt       | irtt            | measures round trips on a schedule, and loss of each direction
nginx      | nginx           | answers the requests of HTTP cases
nft        | nftables        | does the NAT on a NAT instance
iptables   | iptables        | does the NAT where that data plane is asked for
ip         | iproute2        | makes the hosts (namespaces) and links of the local lab
tc         | iproute2        | shapes the links of the local lab: rate and delay
conntrack  | conntrack       | counts the connections that a NAT instance tracks
conntrackd | conntrackd      | copies the connections of the active NAT instance to its standby
sshd       | openssh-server  | lets Pulumi reach the hosts of the local lab; nothing listens beyond 127.0.0.1
ssh        | openssh-client  | reaches a host by hand, as docs describe
ssh-keygen | openssh-client  | makes the keys of the local lab
socat      | socat           | carries SSH into a host of the local lab
jq         | jq              | reads the results in a shell
ethtool    | ethtool         | reads and sets the offloads of an interface
ps         | procps          | finds what a host runs
sysctl     | procps          | turns on forwarding on a NAT instance
nsenter    | util-linux      | runs a program inside a host of the local lab
unshare    | util-linux      | gives a host its own mounts
openssl    | openssl         | makes the certificate of HTTP cases
curl       | curl            | downloads the Pulumi CLI
'

# Only `npm test` needs these; a browser is large.
TEST_TOOLS='
cloud-init | cloud-init      | checks and boots the machines'"'"' user data
chromium   | chromium        | opens the report as a reader would
'

# Only `npm test`, `npm run guest` and `npm run bench -- nat` need these.
GUEST_TOOLS='
qemu-system-x86_64 | qemu-system-x86 | runs a kernel with flowtables, emulated
mmdebstrap         | mmdebstrap      | makes the guest of packages
cpio               | cpio            | makes its initramfs
'

# Only `npm run nat-image` and its test need these.
IMAGE_TOOLS='
mmdebstrap | mmdebstrap | makes a root of packages
mke2fs     | e2fsprogs  | makes its file system
mkfs.vfat  | dosfstools | makes the file system that the firmware reads
mcopy      | mtools     | puts what starts into that
sfdisk     | fdisk      | writes the partition table
qemu-img   | qemu-utils | turns the disk into what a cloud takes
'

# Packages with services, and those services: only the programs are needed, so none may start, now or at boot.
declare -A PACKAGE_UNITS=(
  [openssh-server]="ssh.service ssh.socket rescue-ssh.target"
  [iperf3]="iperf3.service"
  [irtt]="irtt.service"
  [nginx]="nginx.service"
  [conntrackd]="conntrackd.service"
)
POLICY=/usr/sbin/policy-rc.d
POLICY_MARK='# egress-bench set-up:'
CLOUD_INIT_DISABLED=/etc/cloud/cloud-init.disabled

ensure_system_tools() { ensure_programs "$SYSTEM_TOOLS"; }

# Installs the lab's tools where possible; everything but the lab works without them.
offer_system_tools() {
  if PATH=$SYSTEM_PATH command -v apt-get >/dev/null; then
    ensure_system_tools
  elif ! (ensure_system_tools) 2>/dev/null; then
    say "without the local lab's tools, because there is no apt-get; \`npm run local\` lists what is missing"
  fi
}

ensure_test_tools() { ensure_programs "$TEST_TOOLS"; }

# ensure_programs <table>: installs the packages of missing programs.
ensure_programs() {
  local name package why missing=()
  while IFS='|' read -r name package why; do
    name=${name// /} package=${package// /}
    [[ -z $name ]] || PATH=$SYSTEM_PATH command -v "$name" >/dev/null || missing+=("$name ($package):$why")
  done <<<"$1"
  ((${#missing[@]} > 0)) || return 0

  PATH=$SYSTEM_PATH command -v apt-get >/dev/null ||
    fail "programs are missing, and there is no apt-get to install them with:" "${missing[@]}" \
      "Install them with your system's package manager, so that they are on $SYSTEM_PATH."
  say "system tools: installing with apt-get"
  printf 'setup:   %s\n' "${missing[@]}"
  local packages
  mapfile -t packages < <(printf '%s\n' "${missing[@]}" | sed 's/.*(\(.*\)):.*/\1/' | sort -u)
  install_packages "${packages[@]}"
}

# as_root <command...>: runs it as root, through sudo where needed.
as_root() {
  if ((EUID == 0)); then
    "$@"
  else
    command -v sudo >/dev/null || fail "this needs root and there is no sudo: $*" "Run it as root, then: npm run setup"
    # sudo drops these variables.
    local proxies=${http_proxy:+http_proxy,}${https_proxy:+https_proxy,}
    sudo ${proxies:+"--preserve-env=${proxies}no_proxy"} "$@"
  fi
}

install_packages() {
  local units=() package status=0
  for package in "$@"; do
    # shellcheck disable=SC2206 # a list of words
    units+=(${PACKAGE_UNITS[$package]:-})
  done
  ((EUID == 0)) || as_root true # asks for the password before its prompt would vanish in a log
  # A third-party repository may be broken; the installation reports what is really missing.
  logged apt-update as_root apt-get -o DPkg::Lock::Timeout=300 update ||
    say "  apt-get update reported errors (.tools/log/apt-update.log); going on"
  [[ " $* " != *" cloud-init "* ]] || disable_cloud_init
  hold_units "${units[@]}"
  logged apt-install as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
    install --yes --no-install-recommends "$@" || status=$?
  release_units "${units[@]}"
  ((status == 0)) || fail_with_log apt-install "apt-get could not install: $*"
}

# On a machine without cloud-init before, the next boot must not take it for a new cloud machine.
disable_cloud_init() {
  as_root mkdir -p "${CLOUD_INIT_DISABLED%/*}"
  as_root touch "$CLOUD_INIT_DISABLED"
}

# Debian asks policy-rc.d before a package starts a unit: deny these while this shell lives, so that a file
# Debian asks policy-rc.d before a package starts a unit. Denies these while this shell lives, so that a file left by a
# crash denies nothing. An existing policy stays.
hold_units() {
  (($# > 0)) && { [[ ! -e $POLICY ]] || policy_is_ours; } || return 0
  local names=("${@%.*}") IFS='|'
  as_root tee "$POLICY" >/dev/null <<POLICY
#!/bin/sh
$POLICY_MARK keeps the packages it installs from starting services. Remove it freely.
[ -d /proc/$$ ] || exit 0
for word; do
  case \${word%.*} in ${names[*]}) exit 101 ;; esac
done
exit 0
POLICY
  as_root chmod 755 "$POLICY"
}

release_units() {
  local unit
  ! policy_is_ours || as_root rm -f "$POLICY"
  command -v systemctl >/dev/null || return 0
  for unit in "$@"; do
    as_root systemctl --quiet disable "$unit" 2>/dev/null || true # not every release has each of them
  done
}

policy_is_ours() { grep -qs "^$POLICY_MARK" "$POLICY"; }

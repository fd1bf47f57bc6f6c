# Makes a host ready, in the agent's directory. Its stdin is the specification of `prepare`. Arguments: `seconds=` for the
# agent's own preparation; `packages=` to install beyond those of the first boot; `builds=` with pairs of a program and its
# Go module; `machine` where the host boots by itself; `untune` where no tuning is wanted.
set -e
IFS= read -r spec
packages='' builds='' machine='' untune=''
for setting in "$@"; do
  case $setting in
  seconds=*) seconds=${setting#*=} ;;
  packages=*) packages=${setting#*=} ;;
  builds=*) builds=${setting#*=} ;;
  machine) machine=yes ;;
  untune) untune=yes ;;
  *)
    echo "prepare-host.sh: unknown setting $setting" >&2
    exit 2
    ;;
  esac
done

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -kn "$@"; fi
}

lacks() {
  for program in "$@"; do
    command -v "$program" >/dev/null || return 0
  done
  return 1
}

# Stops the package's own nginx, which would serve port 80. A lab host would reach the systemd of the machine it runs on.
if [ -n "$machine" ] && [ -d /run/systemd/system ]; then
  case " $packages " in *" nginx "*) as_root systemctl -q mask nginx.service ;; esac
fi

# Installed here, not by user data: changed user data would replace the machine, and everything would be measured again.
# Unquoted: split into words.
if lacks $packages; then
  as_root sh -s $packages <install-packages.sh
fi

programs=$(printf '%s %s\n' $builds | cut -d ' ' -f 1)
if lacks $programs; then
  as_root sh -s golang-go <install-packages.sh
  sh build-tools.sh $builds
fi

# Undone here: the deletion of an unwanted tuning comes last in an update, after the cases.
if [ -n "$untune" ]; then sh undo-tuning.sh; fi
if [ -n "$machine" ]; then sh start-at-boot.sh; fi
printf '%s' "$spec" | timeout -k 5 "$seconds" python3 agent.py prepare

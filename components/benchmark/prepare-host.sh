# Makes a host ready, in the agent's directory. Its stdin is the specification of `prepare`. Arguments: `seconds=` that the
# agent's own preparation may take; `packages=` that the machine did not boot with; `builds=` with pairs of a program and its
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

# The package's own nginx would serve on port 80. A lab's host would reach the systemd of the machine that it is on.
if [ -n "$machine" ] && [ -d /run/systemd/system ]; then
  case " $packages " in *" nginx "*) as_root systemctl -q mask nginx.service ;; esac
fi

# These cannot be in the machine's user data: a machine whose user data changes is made anew, and with it all that was
# measured. Not quoted: words of their own.
if lacks $packages; then
  as_root sh -s $packages <install-packages.sh
fi

programs=$(printf '%s %s\n' $builds | cut -d ' ' -f 1)
if lacks $programs; then
  as_root sh -s golang-go <install-packages.sh
  sh build-tools.sh $builds
fi

# The deletion of a tuning that is no longer wanted comes last in an update, after the cases.
if [ -n "$untune" ]; then sh undo-tuning.sh; fi
if [ -n "$machine" ]; then sh start-at-boot.sh; fi
printf '%s' "$spec" | timeout -k 5 "$seconds" python3 agent.py prepare

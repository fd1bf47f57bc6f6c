#!/usr/bin/env bash
# run.sh <npm script> [<argument>...]: what `npm run` runs: help, which needs no set-up, or set-up and then the command.
set -euo pipefail

ROOT=$(CDPATH= cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
script=$1
shift

node=(node)
case $script in
# A small young generation keeps less garbage, and the heap is collected after large files are read.
report) node+=(--max-semi-space-size=2 --heap-growing-percent=20 --expose-gc) ;;
# A million stored rows stay young objects for long.
history) node+=(--min-semi-space-size=64 --max-semi-space-size=64) ;;
esac
bin=$ROOT/node_modules/.bin
options='' # those of a command that parses none itself
[[ $script == test || $script == guest || $script == pulumi ]] || options=documented
case $script in
lint) command=(eval '"$bin/biome" check --error-on-warnings . && "$bin/depcruise" .') options=none ;;
format) command=(eval '"$bin/biome" check --write . && bash setup/with-tools.sh node tests/python-lint.ts --write') options=none ;;
typecheck) command=(node node_modules/typescript-native/bin/tsc --noEmit) options=none ;;
reference) command=(bash setup/with-tools.sh node tools/reference/main.ts) options=none ;;
sample) command=(bash setup/with-tools.sh node tools/reference/sample.ts) options=--read ;;
build) command=(node "$ROOT/tools/package/build.ts") ;;
test) command=(node "$ROOT/tests/run.ts") ;;
guest) command=(node "$ROOT/tests/run.ts" --project guest --project system) ;;
docs) command=(node "$ROOT/tools/reference/site.ts") ;;
bench) command=(node "$ROOT/tests/bench/run.ts") ;;
pulumi) command=(pulumi) ;;
nat-*) command=(node "$ROOT/cli/main.ts" nat "${script#nat-}") ;;
*) command=("${node[@]}" "$ROOT/cli/main.ts" "$script") ;;
esac

# The reference page has each help, and reading it needs no Node.
usage() {
  if [[ $script == pulumi ]]; then cat "$ROOT/setup/pulumi-usage.txt" && return; fi
  awk -v title="## $script" '/^## /{found = $0 == title} /^```/{inside = found && !inside; next} inside' "$ROOT/docs/reference/commands.md"
}

needs=--cloud
case $script in
choose | advise | report | history | contribute | nat-script | docs) needs=--packages ;;
local) needs=--lab ;;
bench) needs=--guest ;;
guest) needs=--guest-system ;;
nat-image) needs=--image ;;
test) needs=--tests ;;
esac
if [[ $script:${1-} == guest:--kernel && -n ${2-} ]]; then
  name=${2##*/}
  export EGRESS_BENCH_GUEST=$ROOT/.tools/guest-${name%%_*} EGRESS_BENCH_GUEST_KERNEL=$2
  shift 2
  needs=--guest command=(node "$ROOT/tests/run.ts" --project guest tests/guest/kernel.test.ts)
fi
previous=
for argument; do
  case $script:$previous$argument in
  *:--help | *:-h)
    # Pulumi has its own help, once set-up has installed it.
    if [[ $script == pulumi && -x $ROOT/.tools/bin/pulumi && -s $ROOT/.egress-bench/passphrase ]]; then
      exec bash "$ROOT/setup/with-tools.sh" pulumi "$@"
    fi
    usage && exit
    ;;
  report:--stack | report:--stack=*) needs=--cloud ;;
  compare:--cloud=local | compare:--cloud\ local) needs=--lab ;;
  test:--all | test:--project=guest | test:--project\ guest | test:tests/guest*) needs=--all-tests ;;
  test:--project=system | test:--project\ system | test:tests/system*) needs=--guest-system ;;
  esac
  previous=
  case $argument in --cloud | --project) previous="$argument " ;; esac
done

for argument; do
  [[ -z $options || $argument == "$options" ]] && continue
  # grep reads all of it: a closed pipe would count as a failure.
  [[ $options == documented ]] &&
    { [[ $argument != --* ]] || usage | grep -e "[ [,]${argument%%=*}\([], =]\|$\)" >/dev/null; } && continue
  # Once it is installed a command refuses by itself, with the option that was meant. It gets no set-up for that.
  [[ $options != documented || ! -x $bin/node ]] || PATH=$bin:$PATH exec "${command[@]}" "$@"
  echo "npm run $script: unknown option $argument; see: npm run $script -- --help" >&2
  exit 2
done
case $script in
# A developer's command: what it needs is there, or it says so.
lint | format | typecheck | reference | sample | build)
  cd "$ROOT"
  [[ -d node_modules ]] || { echo "npm run $script: its packages are missing; first: npm run setup" >&2 && exit 1; }
  "${command[@]}" "$@"
  exit
  ;;
esac

# stdout belongs to the command: a program may read it.
bash "$ROOT/setup/setup.sh" "$needs" >&2
# npm hands on neither a hang-up nor its own death.
tied=(env) # An empty list is an error in macOS's bash.
tools=(bash "$ROOT/setup/with-tools.sh")
! setpriv --pdeathsig TERM true 2>/dev/null || tied=(setpriv --pdeathsig TERM)
[[ $needs != --packages ]] || tools+=(--without-pulumi)
exec "${tied[@]}" "${tools[@]}" "${command[@]}" "$@"

#!/usr/bin/env bash
# with-tools.sh [--without-pulumi] <command> [<argument>...]: runs it with the project's tools and state (environment.sh).
set -euo pipefail

ROOT=$(CDPATH= cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=lib.sh
. "$ROOT/setup/lib.sh"
export EGRESS_BENCH_ROOT=$ROOT
# shellcheck source=environment.sh
. "$ROOT/setup/environment.sh"

(($# > 0)) || fail "no command." "Usage: bash setup/with-tools.sh <command> [<argument>...]"
require_temporary
require_directory
pulumi=$TOOLS/bin/pulumi
[[ $1 != --without-pulumi ]] || { pulumi=/bin/sh && shift; }
[[ -x $pulumi && -s $STATE/passphrase ]] || fail "the tools are not set up." "Run: npm run setup"

if ((EUID == 0)) && [[ ! -O $ROOT ]]; then
  trap 'give_back "$STATE" "$PULUMI_HOME" "$ROOT/out" "$TOOLS/compile-cache"' EXIT
  "$@"
else
  exec "$@"
fi

#!/usr/bin/env bash
# opentofu.sh <cache>: prints the path of OpenTofu, which Go builds unless the cache has it.
set -euo pipefail

version=v1.10.10
# The module's own replacement, which applies only in the main module.
hcl=v2.20.2-0.20251021132045-587d123c2828
built=$1/opentofu-$version
if [[ ! -x $built/tofu ]]; then
  partial=$built.partial.$$
  mkdir -p "$partial"
  cd "$partial"
  export CGO_ENABLED=0 GOWORK=off GOFLAGS=-mod=mod
  cat >go.mod <<END
module opentofu
require github.com/opentofu/opentofu $version
replace github.com/hashicorp/hcl/v2 => github.com/opentofu/hcl/v2 $hcl
END
  go build -trimpath -ldflags "-s -w" -o tofu github.com/opentofu/opentofu/cmd/tofu >&2
  rm -rf "$built"
  mv "$partial" "$built"
fi
printf '%s\n' "$built/tofu"

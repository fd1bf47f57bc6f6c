#!/usr/bin/env bash
# build.sh: prints the directory of Pulumi's YAML host, its code generator and its Python SDK. Go builds the first two (42 s
# of a processor), pip fetches the third, unless the user's cache has them.
set -euo pipefail

self=$(realpath "${BASH_SOURCE[0]}")
here=$(CDPATH= cd "$(dirname "${BASH_SOURCE[0]}")/go" && pwd -P)
key=$(cat "$self" "$here"/go.mod "$here"/go.sum "$here"/main.go | sha256sum)
built=${XDG_CACHE_HOME:-$HOME/.cache}/egress-bench/languages-${key:0:16}
if [[ ! -x $built/pulumi-language-yaml || ! -d $built/python ]]; then
  partial=$built.partial.$$
  mkdir -p "$partial"
  cd "$here"
  export CGO_ENABLED=0 GOWORK=off
  build=(go build -mod=readonly -trimpath -buildvcs=false -ldflags "-s -w")
  "${build[@]}" -o "$partial/pulumi-language-yaml" github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml >&2
  "${build[@]}" -o "$partial/generate-sdk" . >&2
  python3 -m pip install --quiet --target "$partial/python" pulumi==3.250.0 parver==0.5 >&2
  rm -rf "$built"
  mv "$partial" "$built"
fi
printf '%s\n' "$built"

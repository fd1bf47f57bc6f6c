# vegeta, which the tests of HTTP cases run and no package provides. Needs command-plugin.sh, for Go with checksums.
# shellcheck shell=bash

ensure_vegeta() {
  local module
  module=$(sed -n 's/.*clientBuilds: { vegeta: "\(.*\)" }.*/\1/p' bench/tools/http/index.ts)
  [[ ! -x $TOOLS/bin/vegeta || $(cat "$TOOLS/bin/vegeta.stamp" 2>/dev/null) != "$module" ]] || return 0
  if command -v go >/dev/null; then
    say "vegeta: building ${module##*@}, with sums from Go's checksum database"
    if GOBIN=$TOOLS/bin logged vegeta-build go_checked 900 install -trimpath -buildvcs=false "$module"; then
      printf '%s\n' "$module" >"$TOOLS/bin/vegeta.stamp"
      return
    fi
  fi
  say "without vegeta, which Go 1.22 or later builds: tests of HTTP cases are skipped"
}

# Builds programs that no package provides, from the Go module proxy, on a machine made for the benchmark. Arguments: pairs
# of program and module@version. Go itself comes from the system's packages. Each module is verified against Go's checksum
# database. Only root writes /usr/local/bin; nothing else stays.
set -eu
while [ "$#" -ge 2 ]; do
  if ! command -v "$1" >/dev/null; then
    if ! go version 2>/dev/null | grep -q 'go1\.\(2[2-9]\|[3-9][0-9]\)'; then
      echo "egress-bench: $1 is built with Go 1.22 or later, which this machine's packages do not have: its cases fail, see docs/results.md#http" >&2
      exit 0
    fi
    place=$(mktemp -d)
    trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
    HOME=$place GOPATH=$place/go GOCACHE=$place/cache GOBIN=$place/bin GOTOOLCHAIN=local GOWORK=off GOFLAGS= \
      GOSUMDB=sum.golang.org GONOSUMDB= GOPRIVATE= CGO_ENABLED=0 timeout 900 go install -trimpath "$2"
    $([ "$(id -u)" = 0 ] || echo sudo -kn) install -m 755 "$place/bin/$1" /usr/local/bin/
    chmod -R u+w "$place"
    rm -rf "$place"
    trap - EXIT
  fi
  shift 2
done

# Environment of the project's tools and state, for with-tools.sh and for activate. Sourced by any POSIX shell; needs
# EGRESS_BENCH_ROOT, the project's absolute directory.
# shellcheck shell=sh

# First: the project's own tools. Last: Debian's directories of ip and nft, which a user's PATH lacks. The tools are moved
# to the front again if something precedes them.
case "$PATH:" in
"$EGRESS_BENCH_ROOT/node_modules/.bin:$EGRESS_BENCH_ROOT/.tools/bin:"*) ;;
*) PATH=$EGRESS_BENCH_ROOT/node_modules/.bin:$EGRESS_BENCH_ROOT/.tools/bin:$PATH:/usr/local/sbin:/usr/sbin:/sbin ;;
esac
export PATH

# Not ~/.pulumi: the user's own login, plugins and selected stacks stay untouched.
export PULUMI_HOME="$EGRESS_BENCH_ROOT/.tools/pulumi-home"
export PULUMI_SKIP_UPDATE_CHECK=true
# Another Pulumi's language host on PATH must not be used.
export PULUMI_IGNORE_AMBIENT_PLUGINS=true
# A stack downloads only the plugins that it uses, not those of every cloud in package.json.
export PULUMI_OPTION_SKIP_PLUGIN_PRE_INSTALL=true

# Results are thousands of lines: `pulumi up` ends with the table, and `pulumi stack output results --json` prints all of
# them.
export PULUMI_OPTION_SUPPRESS_OUTPUTS="${PULUMI_OPTION_SUPPRESS_OUTPUTS:-true}"
# Compiling the SDK takes a third of a start.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$EGRESS_BENCH_ROOT/.tools/compile-cache}"

# The engine and its plugins talk over 127.0.0.1, which a proxy never reaches. gRPC reads this before no_proxy.
no_grpc_proxy=${no_grpc_proxy:-${no_proxy:-${NO_PROXY:-}}}
export no_grpc_proxy="${no_grpc_proxy:+$no_grpc_proxy,}127.0.0.1,localhost"

# The user's own backend comes with its own passphrase or key.
if [ -z "${PULUMI_BACKEND_URL:-}" ]; then
  export PULUMI_BACKEND_URL="file://$EGRESS_BENCH_ROOT/.egress-bench/state"
  if [ -z "${PULUMI_CONFIG_PASSPHRASE+set}" ] && [ -z "${PULUMI_CONFIG_PASSPHRASE_FILE:-}" ]; then
    export PULUMI_CONFIG_PASSPHRASE_FILE="$EGRESS_BENCH_ROOT/.egress-bench/passphrase"
  fi
fi

# The command plugin fails on a stale agent socket; the keys are in the stack, not in an agent.
unset SSH_AUTH_SOCK

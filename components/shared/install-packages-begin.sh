#!/bin/sh
# Installs packages. Written by egress-bench.
set -eu
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1

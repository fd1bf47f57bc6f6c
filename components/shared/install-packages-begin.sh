# How packages are installed: asking nothing. Machines whose user data has another text are replaced: this one stays as it is.

set -eu
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1

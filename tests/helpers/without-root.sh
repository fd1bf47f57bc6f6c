# Runs a command as an account that is not root and has sudo without a password, in a mount namespace of its own:
#   without-root.sh ACCOUNT CLONE CHECKOUT COMMAND...
# sudo is a stand-in: a copy of setpriv with the set-uid bit, which nobody outside this namespace sees. The clone has the
# checkout's packages and tools.
set -eu
account=$1 clone=$2 checkout=$3
shift 3
mount -t tmpfs -o mode=755 tmpfs /usr/local/sbin
cp "$(command -v setpriv)" /usr/local/sbin/become-root
chmod 4755 /usr/local/sbin/become-root
cat > /usr/local/sbin/sudo <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
exec /usr/local/sbin/become-root --reuid=0 --regid=0 --clear-groups env -i \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin SUDO_UID="$(id -u)" SUDO_GID="$(id -g)" "$@"
END
chmod 755 /usr/local/sbin/sudo
for directory in node_modules .tools; do
  mkdir -p "$clone/$directory"
  mount --bind "$checkout/$directory" "$clone/$directory"
done
exec setpriv --reuid="$account" --regid="$account" --clear-groups "$@"

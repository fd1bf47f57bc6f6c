#!/bin/sh
# Admits connections only from these accounts of the machine, by the kernel's record: any local user can connect to
# 127.0.0.1. Environment: OPERATOR_IDS, their user ids; SSHD_CONFIG; SOCAT_PEERPORT and SOCAT_SOCKPORT, set by socat.
peer=$(printf "0100007F:%04X 0100007F:%04X" "$SOCAT_PEERPORT" "$SOCAT_SOCKPORT")
# Fields of a connection: number, local and remote address, state (01: established), queues, timer, retries, user id.
set -- $(grep " $peer 01 " /proc/net/tcp)
case " $OPERATOR_IDS " in
  *" ${8:-nobody} "*) exec nsenter --net=/proc/1/ns/net /usr/sbin/sshd -ie -f "$SSHD_CONFIG" ;;
esac
echo "refused a connection of user ${8:-unknown}" >&2

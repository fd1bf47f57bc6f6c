# Loses SYNs to a port on their way through this host, in a table of its own.
# PORT: of the server. ONE_IN: every so many SYNs one is lost; empty: none.
# OUTAGE_AFTER, OUTAGE_SECONDS: all are lost then, counted from the first SYN of all; prints seconds of the epoch: before and after the loss began and ended.
set -eu
nft "add table inet syns; flush table inet syns"
nft "add chain inet syns lost { type filter hook forward priority -200; }"
first='tcp flags & (syn | ack) == syn'
if [ -n "${ONE_IN:-}" ]; then
  nft "add rule inet syns lost tcp dport $PORT $first numgen inc mod $ONE_IN == $((ONE_IN / 2)) counter drop"
fi
if [ -n "${OUTAGE_SECONDS:-}" ]; then
  # A busy machine may begin to connect late.
  nft "add rule inet syns lost tcp dport $PORT $first counter"
  until nft list chain inet syns lost | grep -q 'packets [1-9]'; do sleep 0.05; done
  sleep "$OUTAGE_AFTER"
  date +%s.%N
  nft "add rule inet syns lost tcp dport $PORT $first drop"
  date +%s.%N
  sleep "$OUTAGE_SECONDS"
  date +%s.%N
  nft "flush chain inet syns lost"
  date +%s.%N
fi

# One trial in a network of its own: the connect probe and two independent clients, each with its own port and losses. Run
# by `unshare --net`. AGENT: the agent's directory. HERE: this one. OUT: directory of their outputs. SECONDS_LONG: length of
# the trial. LOST_PER_MILLE: lost first SYNs, evenly spread, the same for each client. OUTAGE: seconds in which every SYN is
# lost; 0: none.
set -eu
ip link set lo up
nft 'add table inet syns'
nft 'add chain inet syns lost { type filter hook output priority 0; }'
first='tcp flags & (syn | ack) == syn'
sinks=''
for port in 5197 5198 5199; do
  if [ "$LOST_PER_MILLE" -gt 0 ]; then
    every=$((1000 / LOST_PER_MILLE))
    # A repeated SYN comes from the same port, and passes: the same connections lose one SYN each in all clients.
    nft "add set inet syns begun$port { type inet_service; flags dynamic, timeout; timeout 20s; }"
    nft "add rule inet syns lost tcp dport $port $first tcp sport @begun$port accept"
    nft "add rule inet syns lost tcp dport $port $first add @begun$port { tcp sport }"
    nft "add rule inet syns lost tcp dport $port $first numgen inc mod $every == $((every / 2)) drop"
  fi
  python3 "$AGENT/agent.py" sink --port "$port" > /dev/null &
  sinks="$sinks $!"
done
sleep 1
python3 "$AGENT/agent.py" connect --address 127.0.0.1 --port 5197 --duration "$SECONDS_LONG" > "$OUT/probe.json" &
clients=$!
node "$HERE/client.ts" 5198 "$SECONDS_LONG" > "$OUT/node.txt" &
clients="$clients $!"
python3 "$HERE/client.py" 5199 "$SECONDS_LONG" > "$OUT/threads.txt" &
clients="$clients $!"
if [ "$OUTAGE" != 0 ]; then
  # All three open connections by now, 100 a second each, however slowly a busy machine started them.
  until [ "$(awk '/^Tcp: [0-9]/ { print $7 }' /proc/net/snmp)" -ge 600 ]; do
    sleep 0.1
  done
  nft "insert rule inet syns lost $first drop"
  from=$(date +%s%3N)
  sleep "$OUTAGE"
  nft 'flush chain inet syns lost'
  echo "$(($(date +%s%3N) - from))" > "$OUT/outage"
fi
wait $clients
kill $sinks

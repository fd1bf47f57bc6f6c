# Watches a NAT instance's rules: has them set up again at once, and holds a second table of them meanwhile.
# Arguments: the second table's file, the set-up program. That table belongs to the first nft below: neither
# `nft flush ruleset` nor `nft delete table` of another process takes it away, and it goes when that one ends.

{
  { echo "include \"$1\""; exec sleep infinity; } | nft -i >/dev/null
  kill $$
} &
# Changes of other tables are others' own. An event can come before nft listens, and a set-up can fail.
{
  nft monitor | grep --line-buffered -w egress_bench &
  while sleep 5; do echo; done
} | while read -r _; do
  sh "$2" if-drifted
  sleep 1
done

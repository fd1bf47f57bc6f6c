# Watches a NAT instance's rules: repeats the set-up at once, and holds a second table of them meanwhile. Arguments: the
# second table's file, the set-up program. The first nft below owns that table: neither `nft flush ruleset` nor `nft delete
# table` of another process removes it, and it disappears when that nft ends.

{ echo "include \"$1\""; exec sleep infinity; } | { nft -i >/dev/null; kill $$; } &
# Changes of other tables are ignored. An event may come before nft listens, and a set-up may fail.
{
  nft monitor | grep --line-buffered -w egress_bench &
  while sleep 5; do echo; done
} | while read -r _; do
  sh "$2" if-drifted
  sleep 1
done

# Waits until a pair's machine carries its clients, or stands by with everything it needs for that. Settings: pair_program;
# pair_seconds, the time limit.

for _ in $(seq "$pair_seconds"); do
  [ ! -s /run/egress-bench-ha ] || ! "$pair_program" ready >/dev/null 2>&1 || exit 0
  sleep 1
done
echo "the pair's machine neither carries nor stands by after $pair_seconds s" >&2
"$pair_program" status >&2
exit 1

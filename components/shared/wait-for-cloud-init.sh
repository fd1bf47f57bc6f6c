# Waits until cloud-init has done its work, for at most 900 s: package mirrors are slow at times. Status 2 is "done, with
# warnings": the host agent names anything that a test lacks. Commands whose text changed run again: this one stays as it is.

timeout -k 5 900 cloud-init status --wait >/dev/null
status=$?
if [ "$status" -ne 0 ] && [ "$status" -ne 2 ]; then
  echo "cloud-init ended with status $status; the end of /var/log/cloud-init-output.log:" >&2
  tail -n 20 /var/log/cloud-init-output.log | cut -c 1-400 >&2
  exit 1
fi

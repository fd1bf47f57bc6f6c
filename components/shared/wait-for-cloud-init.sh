# Waits until cloud-init has done its work. Setting: cloud_init_seconds, the time limit.

timeout -k 5 "$cloud_init_seconds" cloud-init status --wait >/dev/null
status=$?
# Status 2 is "done, with warnings": the host agent names anything that a test lacks.
if [ "$status" -ne 0 ] && [ "$status" -ne 2 ]; then
  echo "cloud-init ended with status $status; the end of /var/log/cloud-init-output.log:" >&2
  tail -n 20 /var/log/cloud-init-output.log | cut -c 1-400 >&2
  exit 1
fi

"""`usage-of.py COMMAND...`: runs it silently; prints its seconds, its CPU seconds and its largest process in MB."""

import resource
import subprocess
import sys
import time

since = time.monotonic()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
if done.returncode != 0:
    sys.exit(done.stderr.decode("utf-8", "replace")[-500:] or f"status {done.returncode}")
print(time.monotonic() - since, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6)

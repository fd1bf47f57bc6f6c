"""`usage-of.py COMMAND...`.

Runs a command silently; prints its seconds, its CPU seconds and its largest process in MB.
"""

import resource
import subprocess
import sys
import time

since = time.monotonic()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
if done.returncode != 0:
    # Pulumi reports failures on stdout.
    sys.exit(f"status {done.returncode}: {done.stdout.decode('utf-8', 'replace')[-2000:]}")
print(time.monotonic() - since, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6)

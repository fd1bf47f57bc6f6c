"""Runs a program on its own terminal: HOW is "close", or names the streams that go to /dev/full."""
import os
import pty
import sys

how, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    for name, number in (("stdout", 1), ("stderr", 2)):
        if name in how:
            os.dup2(os.open("/dev/full", os.O_WRONLY), number)
    os.execvp(command[0], command)

said = b""
while True:
    try:
        more = os.read(terminal, 4096)
    except OSError:
        break
    said += more
    if not more:
        break
    if how == "close" and b"up" in said:
        os.close(terminal)
        break
_, status = os.waitpid(pid, 0)
print(os.waitstatus_to_exitcode(status))
print(said.decode().replace("\r\n", "\n"), end="")

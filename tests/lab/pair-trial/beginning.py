"""Prints what a machine's new daemon asks conntrackd in its first two rounds, and whether copies then count as running;
and in which rounds it starts a conntrackd that ends at once.

Argument: the path of the program. A stand-in replaces conntrackd.
"""

import sys

sys.path.insert(0, sys.argv[1])
import sessions

sessions.log = lambda _: None
sessions.pid_of = lambda _: 1


def case(title, **first):
    """`first`: the exit status of the first request of each kind, where it is not 0. None: no answer in time."""
    asked = []
    left = {f"-{kind}": status for kind, status in first.items()}

    def tool(words, _seconds):
        asked.append(words[3])
        return left.pop(words[3], 0), ""

    sessions.run = tool
    one = sessions.Sessions()
    rounds = []
    for _ in range(2):
        asked.clear()
        one.keep()
        rounds.append(f"{' '.join(word for word in asked if word != '-s')}, {one.running}")
    print(f"{title}: {'; '.join(rounds)}")


case("conntrackd answers")
# It goes on to read, although nobody waits any more.
case("it reads a full table for longer than the timeout", R=None)
case("it does not answer yet", n=1)
case("it refuses to read", R=1)

sessions.pid_of = lambda _: None
sessions.end = sessions.run = lambda *_: None
rounds = [[]]
sessions.launch = lambda *_: rounds[-1].append("start")
one = sessions.Sessions()
for _ in range(10):
    one.keep()
    rounds.append([])
print(f"it ends at once: started in {[at for at, starts in enumerate(rounds, 1) if starts]}")

"""Counts the take-overs of a pair whose machines each need seconds to load the table before address and routes move.

Arguments: the path of the program, seconds of a load, and optionally seconds after which a machine takes over from a
peer that wants to carry in vain. The active machine stands still for a moment.
"""

import sys

sys.path.insert(0, sys.argv[1])
import daemon
from role import LOOK, RELEASE, TAKE, Seen, Word, first_state, step, word_of

TICKS = 10
SILENT = 4
PATIENT = {"advertisementMs": 1000 // TICKS, "outside": {"kind": "ec2"}}
rules = daemon.rules_of(PATIENT)
load = round(float(sys.argv[2]) * TICKS)
if sys.argv[3:]:
    rules = rules._replace(vain=round(float(sys.argv[3]) * TICKS))

peer = Word(1, True, True, True, False)
standby = first_state(rules)._replace(bear=rules.dead, peer=peer, released=True, purged=True)
states = [standby._replace(wants=True, confirmed=True, term=1, peer=peer._replace(wants=False)), standby]
words = [word_of(state, Seen()) for state in states]
# The action of each machine with the tick at which it ends, and its next order.
doing, orders, committed = [("", 0), ("", 0)], ["", ""], [True, False]
holder, takes = 0, 0
for tick in range(100 * TICKS):
    said = list(words)
    for at in (0, 1):
        action, ends = doing[at]
        seen = Seen(busy=bool(action or orders[at]))
        if action and tick >= ends:
            holder = at if action == TAKE and states[at].wants else holder
            # A result from before the next order is out of date.
            seen = Seen(carries=holder == at if action in (TAKE, LOOK) and not orders[at] else None)
            doing[at] = ("", 0)
        if at == 0 and tick <= SILENT:
            continue
        heard = said[1 - at] if tick > SILENT else None
        seen = seen._replace(heard=heard, paused=at == 0 and tick == SILENT + 1)
        before = states[at]
        states[at], actions = step(before, seen, rules, at == 0)
        takes += states[at].wants and not before.wants
        orders[at] = actions[0] if actions else orders[at]
        if orders[at] and not doing[at][0]:
            loads = orders[at] == TAKE and not committed[at]
            committed[at] = orders[at] == TAKE or (committed[at] and orders[at] != RELEASE)
            doing[at], orders[at] = (orders[at], tick + (load if loads else 1)), ""
        words[at] = word_of(states[at], seen)
print(takes)

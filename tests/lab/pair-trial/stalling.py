"""Counts how often the role moves in ten minutes while two live machines do not hear each other, and both stall.

Arguments: the path of the program, ticks from one stall of a machine to its next one.
"""

import importlib
import sys

model = importlib.import_module("role-model")
model.RULES = importlib.import_module("daemon").rules_of({"advertisementMs": 100, "outside": {"kind": "ec2"}})
STALL = model.RULES.dead + 1
every = int(sys.argv[2])

state = model.first_state(model.RULES)
world = model.World((state, state))
for _ in range(100):
    world = model.advance(world)
moves = 0
for tick in range(6000):
    # The stalls of the two are half an interval apart.
    runs = tuple((tick + at * every // 2) % every >= STALL for at in (0, 1))
    after = model.advance(world._replace(link=False, runs=runs))
    moves += after.holder != world.holder
    world = after
print(moves)

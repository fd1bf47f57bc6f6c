"""Explores the role's state machine for two machines, their link, the cloud's API and faults, breadth first.

One round: at most one fault begins or ends; each machine's mover does what was ordered, unless the cloud's API hangs;
words said in the round before are heard, unless the link is cut; both machines that run make a step.
From every state reached it lets all faults end and counts the rounds until exactly one machine carries and says so. It
also lets the faults last and counts the rounds for which a machine says that it carries and does not. Arguments: the
path of the program, how many states at most. Prints a JSON line. daemon-walk.py holds the model against the program.
Not modelled: loss of single words, clocks that differ, two faults that begin in one round, a request that EC2 does
after it was given up.
"""

import json
import sys
from collections import deque
from typing import NamedTuple, Optional

sys.path.insert(0, sys.argv[1])
from role import (
    LOOK,
    PURGE,
    RELEASE,
    TAKE,
    Rules,
    Seen,
    State,
    Word,
    first_state,
    step,
    word_of,
)

RULES = Rules(dead=2, listen=3, vain=3, patience=4, most_patience=4, retry=1, most_retry=1, look=2, answer=1)
BOUND = 40
LYING_ROUNDS = 6
UP, AWAY, HANGS, SLOW = 0, 1, 2, 3


class World(NamedTuple):
    states: tuple
    # Each machine's mover: current task and next one; "": none.
    doing: tuple = ("", "")
    orders: tuple = ("", "")
    # Whether a later wish or a pause has made the answer to that old, and the answer: carries, unknown, purged.
    stale: tuple = (False, False)
    answers: tuple = (None, None)
    words: tuple = (None, None)
    # Rounds that it has stood still, at most as many as count.
    still: tuple = (0, 0)
    holder: Optional[int] = None
    link: bool = True
    # UP, AWAY (a request fails), HANGS (it is done at the end of that) or SLOW (done at once, answered at the end).
    api: int = 0
    runs: tuple = (True, True)
    forwards: tuple = (True, True)
    # Whether each machine has heard from the other one's present start.
    known: tuple = (False, False)


def put(values, at, value):
    return (value, values[1]) if at == 0 else (values[0], value)


def faults(world):
    """One fault that begins or ends; never both machines at once without forwarding, which moves nothing."""
    yield world
    yield world._replace(link=not world.link)
    for api in (UP, AWAY, HANGS, SLOW):
        if (api == UP) != (world.api == UP):
            yield world._replace(api=api)
    for at in (0, 1):
        yield world._replace(runs=put(world.runs, at, not world.runs[at]))
        if world.forwards[1 - at]:
            yield world._replace(forwards=put(world.forwards, at, not world.forwards[at]))
        yield boot(world, at)


def boot(world, at):
    """Resets a machine: it forgets everything, and the other one has not heard from it since."""
    blank = {"states": first_state(RULES), "doing": "", "orders": "", "stale": False, "answers": None}
    blank.update(runs=True, still=0, known=False)
    world = world._replace(**{name: put(getattr(world, name), at, one) for name, one in blank.items()})
    return world._replace(known=put(world.known, 1 - at, False))


def calm(world):
    return world._replace(link=True, api=UP, runs=(True, True), forwards=(True, True))


def move(world, at):
    """One machine's mover: begins what was ordered, does it where the API lets it, and hands over the answer.

    Of a machine that stands still the cloud goes on with what was asked before.
    """
    doing, stale, answer, order = world.doing[at], world.stale[at], world.answers[at], world.orders[at]
    holder, found = world.holder, None
    if not doing and order and world.runs[at]:
        doing, order, stale = order, "", False
    of_cloud = doing in (TAKE, LOOK, PURGE)
    if doing and answer is None and (world.api != HANGS or not of_cloud):
        if doing == TAKE and world.states[at].wants and world.api != AWAY:
            holder = at
        carries = None if world.api == AWAY or not of_cloud else holder == at
        answer = (carries, carries is None and doing in (TAKE, LOOK), doing == PURGE and carries is False)
    if answer is not None and world.runs[at] and (world.api != SLOW or not of_cloud):
        found = None if stale else answer
        doing, answer, stale = "", None, False
    values = {"doing": doing, "stale": stale, "answers": answer, "orders": order}
    return world._replace(
        holder=holder, **{name: put(getattr(world, name), at, one) for name, one in values.items()}
    ), found


def advance(world, as_is=False):
    """One round; terms are made small unless it is to be shown as it is."""
    found = [None, None]
    for at in (0, 1):
        world, found[at] = move(world, at)
    states, words, still, known = world.states, (None, None), world.still, world.known
    orders, stale = world.orders, world.stale
    for at in (0, 1):
        if not world.runs[at]:
            still = put(still, at, min(still[at] + 1, RULES.dead + 1))
            continue
        paused = still[at] > RULES.dead
        still = put(still, at, 0)
        heard = world.words[1 - at] if world.link else None
        restarted = heard is not None and not known[at]
        known = put(known, at, known[at] or heard is not None)
        if paused:
            stale = put(stale, at, world.doing[at] != "")
        answer = found[at] or (None, False, False)
        seen = Seen(
            heard=heard,
            restarted=restarted,
            carries=answer[0],
            unknown=answer[1],
            purged=answer[2],
            forwards=world.forwards[at],
            paused=paused,
            busy=world.doing[at] != "" or orders[at] != "",
        )
        after, actions = step(states[at], seen, RULES, at == 0)
        states = put(states, at, after)
        words = put(words, at, word_of(after, seen))
        for action in actions:
            if action in (TAKE, RELEASE):
                stale = put(stale, at, world.doing[at] != "")
            # A check never overtakes an ordered task.
            if action in (TAKE, RELEASE) or not orders[at]:
                orders = put(orders, at, action)
    done = world._replace(states=states, words=words, still=still, orders=orders, stale=stale)
    done = done._replace(known=known)
    return done if as_is else normal(done)


def normal(world):
    """Only the order of terms matters, and whether one is the next of another: gaps above two are two."""
    peers = [state.peer.term for state in world.states if state.peer]
    known = sorted(
        {state.term for state in world.states} | set(peers) | {word.term for word in world.words if word}
    )
    small, last = {}, None
    for term in known:
        small[term] = 0 if last is None else small[last] + min(term - last, 2)
        last = term

    def state_of(state: State):
        peer = state.peer and state.peer._replace(term=small[state.peer.term])
        return state._replace(term=small[state.term], peer=peer)

    def word(one: Optional[Word]):
        return one and one._replace(term=small[one.term])

    first, second = world.states
    return world._replace(
        states=(state_of(first), state_of(second)), words=(word(world.words[0]), word(world.words[1]))
    )


def good(world):
    """Whether exactly one machine wants the role, is confirmed, and holds it."""
    wanting = [at for at in (0, 1) if world.states[at].wants]
    return len(wanting) == 1 and wanting[0] == world.holder and world.states[wanting[0]].confirmed


settles = {}


def rounds_to_settle(world):
    """Rounds without faults until `good`; None: not within the bound."""
    path, now = [], calm(world)
    while now not in settles:
        if len(path) > BOUND:
            return None
        path.append(now)
        after = advance(now)
        if good(now) and good(after) and now.holder == after.holder:
            settles[now] = 0
            break
        now = after
    else:
        settles_at = settles[now]
        for count, one in enumerate(reversed(path), 1):
            settles[one] = settles_at + count
        return settles[calm(world)]
    for count, one in enumerate(reversed(path[:-1]), 1):
        settles[one] = count
    return settles[calm(world)]


def rounds_lying(world):
    """The longest time, in rounds, in which a running machine says falsely that it carries."""
    longest, now = 0, [0, 0]
    for _ in range(LYING_ROUNDS):
        for at in (0, 1):
            state = world.states[at]
            lies = world.runs[at] and state.wants and state.confirmed and world.holder != at
            now[at] = now[at] + 1 if lies else 0
        longest = max(longest, *now)
        world = advance(world)
    return longest


def main():
    most_states = int(sys.argv[2])
    start = normal(World((first_state(RULES), first_state(RULES))))
    seen, queue = {start}, deque([start])
    worst, lost, transitions, lying = 0, 0, 0, 0
    while queue and len(seen) < most_states:
        world = queue.popleft()
        found = rounds_to_settle(world)
        if found is None:
            lost += 1
            if lost == 1:
                print(world, file=sys.stderr)
        else:
            worst = max(worst, found)
        lying = max(lying, rounds_lying(world))
        for changed in faults(world):
            after = advance(changed)
            transitions += 1
            if after not in seen:
                seen.add(after)
                queue.append(after)
    print(
        json.dumps(
            {
                "states": len(seen),
                "transitions": transitions,
                "worst": worst,
                "lying": lying,
                "lost": lost,
                "whole": not queue,
            }
        )
    )


if __name__ == "__main__":
    main()

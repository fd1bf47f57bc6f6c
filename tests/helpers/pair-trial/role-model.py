"""Explores the role's state machine for two machines, their link, the cloud's API and faults, breadth first.

One round: at most one fault begins or ends; what was asked of the cloud is done, fails while its API is away, or waits
while it hangs; words said in the round before are heard, unless the link is cut; both machines that run make a step.
From every state reached it lets all faults end and counts the rounds until exactly one machine carries and says so. It
also lets the faults last and counts the rounds for which a machine says that it carries and does not. Arguments: the
path of the program, how many states at most. Prints a JSON line. Not modelled: loss of single words, clocks that
differ, two faults that begin in one round.
"""

import json
import sys
from collections import deque
from typing import NamedTuple, Optional

sys.path.insert(0, sys.argv[1])
from role import (
    LOOK,
    PURGE,
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
UP, AWAY, HANGS = 0, 1, 2


class World(NamedTuple):
    states: tuple
    # Each machine's question to the cloud, and the answer; "" and None: none.
    asked: tuple = ("", "")
    answers: tuple = (None, None)
    words: tuple = (None, None)
    # Rounds that it has stood still, at most as many as count.
    still: tuple = (0, 0)
    holder: Optional[int] = None
    link: bool = True
    # UP, AWAY (a request fails) or HANGS (it has no answer until the end of that).
    api: int = 0
    runs: tuple = (True, True)
    forwards: tuple = (True, True)


def put(values, at, value):
    return (value, values[1]) if at == 0 else (values[0], value)


def faults(world):
    """One fault that begins or ends; never both machines at once without forwarding, which moves nothing."""
    yield world
    yield world._replace(link=not world.link)
    for api in (UP, AWAY, HANGS):
        if (api == UP) != (world.api == UP):
            yield world._replace(api=api)
    for at in (0, 1):
        yield world._replace(runs=put(world.runs, at, not world.runs[at]))
        if world.forwards[1 - at]:
            yield world._replace(forwards=put(world.forwards, at, not world.forwards[at]))
        # It boots anew: what it knew and asked is gone.
        fresh = world._replace(
            states=put(world.states, at, first_state(RULES)), asked=put(world.asked, at, "")
        )
        yield fresh._replace(
            answers=put(fresh.answers, at, None),
            runs=put(fresh.runs, at, True),
            still=put(fresh.still, at, 0),
        )


def calm(world):
    return world._replace(link=True, api=UP, runs=(True, True), forwards=(True, True))


def advance(world):
    holder, answers, asked = world.holder, world.answers, world.asked
    for at in (0, 1):
        if asked[at] and world.api != HANGS:
            if world.api == UP:
                if asked[at] == TAKE:
                    holder = at
                purged = asked[at] == PURGE and holder != at
                answers = put(answers, at, (asked[at], holder == at, purged))
            else:
                answers = put(answers, at, (asked[at], None, False))
            asked = put(asked, at, "")
    states, words, still = world.states, (None, None), world.still
    for at in (0, 1):
        if not world.runs[at]:
            still = put(still, at, min(still[at] + 1, RULES.dead + 1))
            continue
        paused = still[at] > RULES.dead
        still = put(still, at, 0)
        answer = answers[at]
        answers = put(answers, at, None)
        seen = Seen(
            heard=world.words[1 - at] if world.link else None,
            carries=answer[1] if answer else None,
            unknown=answer is not None and answer[1] is None,
            purged=bool(answer and answer[2]),
            forwards=world.forwards[at],
            paused=paused,
            busy=asked[at] != "",
        )
        after, actions = step(states[at], seen, RULES, at == 0)
        states = put(states, at, after)
        words = put(words, at, word_of(after, seen))
        for action in actions:
            # A look never overtakes what is under way.
            if action not in (LOOK, PURGE) or not asked[at]:
                asked = put(asked, at, action if action in (TAKE, LOOK, PURGE) else "")
    return normal(
        world._replace(states=states, words=words, still=still, answers=answers, asked=asked, holder=holder)
    )


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
    """Exactly one wants, is confirmed, and holds."""
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


main()

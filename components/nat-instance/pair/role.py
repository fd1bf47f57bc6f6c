"""The state machine that decides which of the two machines carries the traffic: pure, one step per tick.

tests/model/role-model.test.ts explores it together with network, cloud and faults.
"""

from typing import NamedTuple, Optional, Tuple


class Word(NamedTuple):
    """The message that a machine sends to its peer at each tick."""

    term: int
    wants: bool
    confirmed: bool
    forwards: bool
    leaving: bool


class Seen(NamedTuple):
    """Observations since the last step."""

    heard: Optional[Word] = None
    # Whether address and routes lead here, from a look that has ended; `unknown`: that look had no result.
    carries: Optional[bool] = None
    unknown: bool = False
    forwards: bool = True
    leaving: bool = False
    # This machine was suspended for longer than the peer waits.
    paused: bool = False
    purged: bool = False
    # A take (a take-over) or a look (a check of where address and routes lead) is under way.
    busy: bool = False
    # This step comes between two ticks, because a take or a look has ended.
    early: bool = False
    # The peer has restarted: this is its first message since, and what it did before is not known.
    restarted: bool = False


class Rules(NamedTuple):
    """Times, in ticks."""

    dead: int
    # A starting machine hears an active peer within this time.
    listen: int
    # This machine takes over from a peer that has wanted to carry for this long without managing to.
    vain: int
    # How long this machine tolerates the peer's silence after the silent peer took the address; doubled each time.
    patience: int
    most_patience: int
    retry: int
    most_retry: int
    look: int
    # While the peer is silent, the last confirmation expires once a look has been unanswered for this long.
    answer: int


class State(NamedTuple):
    wants: bool = False
    # A look since the last take has found that address and routes lead here.
    confirmed: bool = False
    # This machine does not know where they lead, so it looks before it takes again.
    doubt: bool = False
    # Higher than the peer's at the last take, as far as the peer was heard.
    term: int = 0
    silent: int = 0
    bear: int = 0
    patience: int = 0
    vain: int = 0
    wait: int = 0
    # Since the last confirming look began, the peer was silent, wanted to carry, took over or restarted.
    challenged: bool = False
    # The same, since the current look or take began: its answer may be out of date.
    overtaken: bool = False
    # How long the current look has been under way while the peer was silent.
    unanswered: int = 0
    backoff: int = 0
    released: bool = False
    purged: bool = False
    peer: Optional[Word] = None


TAKE, LOOK, RELEASE, PURGE = "take", "look", "release", "purge"


def first_state(rules: Rules) -> State:
    return State(bear=rules.listen, patience=rules.patience, backoff=rules.retry)


def step(me: State, seen: Seen, rules: Rules, lower: bool) -> Tuple[State, Tuple[str, ...]]:
    """One step. `lower`: this machine has the lower address, which breaks ties."""
    if seen.paused:
        # Its knowledge is out of date, and it was this machine that was silent, not the peer. Its patience goes on.
        bear = max(rules.dead, me.bear - me.silent)
        me = me._replace(confirmed=False, doubt=True, silent=0, bear=bear, wait=rules.dead, unanswered=0)
        seen = seen._replace(carries=None, unknown=False, purged=False)
    before = me.peer
    me = hear(me, seen, rules)
    rival = me.peer if me.silent < rules.dead else None
    if me.wants:
        me, actions = carry(me, seen, rules, rival, lower)
        if TAKE in actions or LOOK in actions:
            me = me._replace(overtaken=False)
        if rival is None or rival.wants or before is None or rival.term != before.term or seen.restarted:
            me = challenge(me, rules)
        return me, actions
    if should_take(me, seen, rules, rival, lower):
        return take(me, rules)
    return stand_by(me, seen, rules, rival)


def hear(me: State, seen: Seen, rules: Rules) -> State:
    tick = 0 if seen.early else 1
    wait = max(0, me.wait - tick)
    word = seen.heard
    if word is None:
        return me._replace(silent=min(me.silent + tick, max(me.bear, rules.dead)), wait=wait)
    vain = min(me.vain + tick, rules.vain) if word.wants and not word.confirmed else 0
    return me._replace(peer=word, silent=0, bear=rules.dead, patience=rules.patience, vain=vain, wait=wait)


def word_of(me: State, seen: Seen) -> Word:
    return Word(me.term, me.wants, me.confirmed, seen.forwards, seen.leaving)


def outranks(rival: Word, own: Word, lower: bool) -> bool:
    """Whether the rival wins when both want to carry: first by forwarding, then by confirmation, then by term."""
    one = (rival.forwards, rival.confirmed, rival.term, not lower)
    other = (own.forwards, own.confirmed, own.term, lower)
    return one > other


def carry(me: State, seen: Seen, rules: Rules, rival: Optional[Word], lower: bool):
    contest = rival is not None and rival.wants
    if seen.leaving or (contest and outranks(rival, word_of(me, seen), lower)):  # type: ignore[arg-type]
        return step_down(me, rules, me.bear)
    if seen.carries is False and me.confirmed and rival is None:
        # The peer is alive but unheard. If both kept taking over from each other, no traffic would pass.
        down, actions = step_down(me, rules, rules.dead + me.patience)
        return down._replace(silent=rules.dead, patience=min(2 * me.patience, rules.most_patience)), actions
    if seen.carries:
        wait, backoff = (me.wait, me.backoff) if me.confirmed else (rules.look, rules.retry)
        me = me._replace(confirmed=True, doubt=False, wait=wait, backoff=backoff, challenged=me.overtaken)
    elif seen.carries is False:
        me = me._replace(confirmed=False, doubt=False, wait=0 if me.confirmed or me.doubt else me.wait)
    elif seen.unknown:
        # A peer that is heard standing by has taken nothing away.
        me = me._replace(confirmed=me.confirmed and not me.challenged, doubt=True)
    waited = me.unanswered if seen.early else min(me.unanswered + 1, rules.answer)
    late = waited if seen.busy and me.challenged and me.confirmed else 0
    me = me._replace(unanswered=late)
    if late == rules.answer:
        me = me._replace(confirmed=False, doubt=True, unanswered=0)
    if contest:
        me = me._replace(wait=min(me.wait, rules.retry))
    if me.wait > 0 or seen.busy:
        return me, ()
    if me.confirmed and not me.challenged:
        return me._replace(wait=rules.look), (LOOK,)
    # Soon after a silence begins, because that is when the peer takes over; then at growing intervals.
    action = LOOK if me.doubt or me.confirmed else TAKE
    most = rules.look if me.confirmed else rules.most_retry
    return me._replace(wait=min(me.backoff, most), backoff=min(2 * me.backoff, most)), (action,)


def challenge(me: State, rules: Rules) -> State:
    """Makes a confirmed machine look again soon: the peer may have taken over."""
    if me.confirmed and not me.challenged:
        me = me._replace(wait=min(me.wait, rules.retry), backoff=rules.retry)
    return me._replace(challenged=me.wants, overtaken=me.wants)


def step_down(me: State, rules: Rules, bear: int):
    me = me._replace(
        wants=False,
        confirmed=False,
        doubt=False,
        bear=bear,
        vain=0,
        wait=0,
        backoff=rules.retry,
        unanswered=0,
        challenged=False,
        overtaken=False,
    )
    return me._replace(released=True, purged=False), (RELEASE,)


def should_take(me: State, seen: Seen, rules: Rules, rival: Optional[Word], lower: bool) -> bool:
    if seen.leaving:
        return False
    if rival is None:
        return me.silent >= max(me.bear, rules.dead)
    if rival.wants:
        in_vain = me.vain >= rules.vain and not rival.confirmed
        return seen.forwards and (in_vain or not rival.forwards)
    one = (not rival.leaving, rival.forwards, rival.term, not lower)
    return (True, seen.forwards, me.term, lower) > one


def take(me: State, rules: Rules):
    known = me.peer.term if me.peer is not None else 0
    me = me._replace(wants=True, confirmed=False, doubt=False, vain=0, released=False, purged=False)
    return me._replace(term=max(me.term, known) + 1, wait=rules.retry, backoff=rules.retry), (TAKE,)


def stand_by(me: State, seen: Seen, rules: Rules, rival: Optional[Word]):
    if seen.purged:
        me = me._replace(purged=True)
    if rival is None or not rival.wants:
        return me, ()
    if not me.released:
        return me._replace(released=True, wait=0), (RELEASE,)
    if rival.confirmed and not me.purged and me.wait == 0 and not seen.busy:
        return me._replace(wait=rules.look), (PURGE,)
    return me, ()


def role_of(me: State, leaving: bool) -> str:
    if leaving:
        return "leaving"
    if not me.wants:
        return "standby"
    return "active" if me.confirmed else "taking"

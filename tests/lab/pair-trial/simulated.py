"""Time, threads and network that are made up: programs run in them by a seed, minutes of theirs in a second.

One task runs at a time, until it waits; then chance says which of those goes on that may, or time goes on.
"""

import random
import threading
import types
from typing import Any, Callable, List, Optional

FOREVER = float("inf")
EPOCH = 1_800_000_000.0


class Ended(BaseException):
    """Raised in a task whose machine is gone."""


class Task:
    def __init__(self, simulation: "Simulation", owner: Any, work: Callable[[], None]) -> None:
        self.simulation, self.owner, self.work = simulation, owner, work
        self.go = threading.Semaphore(0)
        self.wake: float = simulation.now
        self.ready: Optional[Callable[[], bool]] = None
        self.done = self.killed = False
        threading.Thread(target=self.main, daemon=True).start()

    def main(self) -> None:
        self.go.acquire()
        try:
            if not self.killed:
                self.work()
        except Ended:
            pass
        except Exception as error:  # noqa: BLE001 (a thread of the program that ends by an error is a finding)
            self.simulation.failures.append(f"{self.simulation.now:.2f} {error!r}")
        self.done = True
        self.simulation.baton.release()

    def may_run(self, now: float) -> bool:
        return not self.owner.frozen and (self.wake <= now or (self.ready is not None and self.ready()))


class Simulation:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.now = 0.0
        self.baton = threading.Semaphore(0)
        self.tasks: List[Task] = []
        self.events: List[Any] = []
        self.current: Optional[Task] = None
        self.failures: List[str] = []

    def start(self, owner: Any, work: Callable[[], None]) -> Task:
        task = Task(self, owner, work)
        self.tasks.append(task)
        return task

    def at(self, moment: float, effect: Callable[[], None]) -> None:
        self.events.append((moment, effect))

    def wait(self, seconds: float = FOREVER, ready: Optional[Callable[[], bool]] = None) -> bool:
        """Waits in the running task; returns whether it is ready, or its time is over."""
        task = self.current
        if task is None:
            raise RuntimeError("no task runs")
        if task.killed:
            raise Ended
        task.wake, task.ready = self.now + seconds, ready
        self.baton.release()
        task.go.acquire()
        if task.killed:
            raise Ended
        return ready is not None and ready()

    def resume(self, task: Task) -> None:
        before, self.current = self.current, task
        task.go.release()
        self.baton.acquire()
        self.current = before
        self.tasks = [one for one in self.tasks if not one.done]

    def kill(self, owner: Any) -> None:
        for task in [one for one in self.tasks if one.owner is owner]:
            task.killed = True
            self.resume(task)

    def run(self, seconds: float, each: Callable[[], None], every: float = 0.05) -> None:
        """Calls `each` repeatedly meanwhile."""
        until, look = self.now + seconds, self.now
        while self.now < until:
            able = [task for task in self.tasks if task.may_run(self.now)]
            if able:
                self.resume(self.chance.choice(able))
                continue
            wakes = [task.wake for task in self.tasks if not task.owner.frozen]
            self.now = min([until, look + every, *wakes, *(moment for moment, _ in self.events)])
            due = [one for one in self.events if one[0] <= self.now]
            self.events = [one for one in self.events if one[0] > self.now]
            for _, effect in due:
                effect()
            if self.now >= look + every:
                look = self.now
                each()


class Like:
    """A module with the given replacements."""

    def __init__(self, module: Any, **own: Any) -> None:
        self.__dict__.update(own)
        self.module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)


class Condition:
    """A lock for tasks, which run one at a time, so that it is always free."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation, self.told = simulation, 0

    def __enter__(self) -> "Condition":
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def wait(self) -> None:
        before = self.told
        self.simulation.wait(ready=lambda: self.told != before)

    def notify_all(self) -> None:
        self.told += 1


def threads(simulation: Simulation, owner: Any) -> Any:
    """Replaces `threading`."""

    class Thread:
        def __init__(self, target: Callable[..., None], args: Any = (), daemon: bool = False) -> None:  # noqa: ARG002
            self.work = lambda: target(*args)

        def start(self) -> None:
            self.task = simulation.start(owner, self.work)

        def join(self, timeout: Optional[float] = None) -> None:
            simulation.wait(FOREVER if timeout is None else timeout, lambda: self.task.done)

    def condition() -> Condition:
        return Condition(simulation)

    return types.SimpleNamespace(Thread=Thread, Condition=condition, Lock=condition)

#!/usr/bin/env python3
"""Writes cases of check-in windows and sleep hours, for a comparison with `CheckInTimes` and
`SleepHours` (`ZoneCaseTests`).

Implements the rules of product.md, "Schedules", a second time, with Python's `zoneinfo`. Each line
is one case:

    zone|windows|check-in|opening|deadline|offsets

- windows: `days/opens/deadline`, separated by commas. `days` has bit 0 for Monday. Times are in
  minutes after midnight; `-` is the default opening.
- check-in, opening, deadline: seconds since 1970. For windows that break a rule, the last two are
  `-`.
- offsets: `moment:offset`, the offset from this moment on, from three days before the check-in to
  three days after the deadline.

With a third argument, writes cases of sleep hours, with the deadline before and after its move:

    zone|from|until|deadline|moved deadline|offsets

    make_cases.py SEED COUNT [sleep]
"""

import random
import sys
from datetime import datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

DAY = 86_400
WEEK = 7 * 1440
FIRST = int(datetime(2020, 1, 1, tzinfo=timezone.utc).timestamp())
LAST = int(datetime(2041, 1, 1, tzinfo=timezone.utc).timestamp())
DEFAULT_LEAD = 360
SHORTEST, LONGEST = 30, 1440
SHORTEST_SLEEP, LONGEST_SLEEP = 30, 600
UTC_START = datetime(1970, 1, 1, tzinfo=timezone.utc)


def places():
    """Returns the zones that a person may choose: named after a place, without UTC and the like."""
    return sorted(
        name for name in available_timezones() if "/" in name and not name.startswith("Etc/")
    )


def offset(zone, moment):
    at = UTC_START + timedelta(seconds=moment)
    return int(at.astimezone(zone).utcoffset().total_seconds())


def changes(zone, start, end, step=5 * DAY):
    """Returns the moments from which another offset holds, with these offsets."""
    found = []
    before = offset(zone, start)
    for later in range(start + step, end + step, step):
        after = offset(zone, later)
        if after == before:
            continue
        low, high = later - step, later
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if offset(zone, middle) == before else (low, middle)
        found.append((high, offset(zone, high)))
        before = after
    return found


# The rules


def lead(window):
    _, opens, deadline = window
    if opens is None:
        return DEFAULT_LEAD
    return (deadline - opens - 1) % 1440 + 1


def breaks_a_rule(windows):
    if not windows or any(not days for days, _, _ in windows):
        return True
    if any(not SHORTEST <= lead(window) <= LONGEST for window in windows):
        return True
    if any(sum(day in days for days, _, _ in windows) > 6 for day in range(7)):
        return True
    deadlines = sorted(
        (day * 1440 + window[2], index) for index, window in enumerate(windows) for day in window[0]
    )
    for place, (minute, index) in enumerate(deadlines):
        earlier = deadlines[place - 1][0] if place > 0 else deadlines[-1][0] - WEEK
        if minute - earlier < 60:
            return True
        if windows[index][1] is not None and minute - lead(windows[index]) < earlier:
            return True
    return False


def moments(zone, wall):
    """Returns when a clock shows this local time: the first and the last moment.

    A skipped time moves forward by the gap: it counts by the offset before the change.
    """
    readings = [wall.replace(tzinfo=zone, fold=fold) for fold in (0, 1)]
    stamps = [int((reading - UTC_START).total_seconds()) for reading in readings]
    shown = [
        stamp
        for stamp in stamps
        if (UTC_START + timedelta(seconds=stamp)).astimezone(zone).replace(tzinfo=None) == wall
    ]
    return (min(shown), max(shown)) if shown else (stamps[0], stamps[0])


def occurrences(zone, windows, around):
    """Returns (opening, deadline) of all windows near a moment, by their deadlines."""
    today = (UTC_START + timedelta(seconds=around)).astimezone(zone).date()
    raw = {}
    for distance in range(-4, 17):
        day = today + timedelta(days=distance)
        for window in windows:
            if day.weekday() not in window[0]:
                continue
            due = datetime.combine(day, time()) + timedelta(minutes=window[2])
            opens = due - timedelta(minutes=lead(window))
            deadline = moments(zone, due)[1]
            opening = min(moments(zone, opens)[0], deadline - SHORTEST * 60)
            raw.setdefault(deadline, []).append(opening)
    joined = []
    for deadline in sorted(raw):
        opening = min(raw[deadline])
        # Deadlines less than the shortest window apart are one.
        if joined and deadline - joined[-1][1] < SHORTEST * 60:
            joined[-1] = (min(joined[-1][0], opening), joined[-1][1])
        else:
            joined.append((opening, deadline))
    previous, result = None, []
    for opening, deadline in joined:
        result.append((opening if previous is None else max(opening, previous), deadline))
        previous = deadline
    return result


def answer(zone, windows, check_in):
    """Returns the first window that opens after the check-in."""
    return next(found for found in occurrences(zone, windows, check_in) if found[0] > check_in)


def nights(zone, start, length, around):
    """Returns (begin, end) of the sleep hours near a moment."""
    today = (UTC_START + timedelta(seconds=around)).astimezone(zone).date()
    for distance in range(-3, 4):
        midnight = datetime.combine(today + timedelta(days=distance), time())
        begin = moments(zone, midnight + timedelta(minutes=start))[0]
        yield begin, moments(zone, midnight + timedelta(minutes=start + length))[1]


def moved(zone, start, length, deadline):
    """Returns the deadline, or an hour after the end of the sleep hours if it is before that."""
    for begin, end in nights(zone, start, length, deadline):
        if begin <= deadline < end + 3600:
            return end + 3600
    return deadline


# The cases


def some_days(draw):
    if draw.random() < 0.4:
        return frozenset(range(7))
    return frozenset(day for day in range(7) if draw.random() < 0.5)


def some_windows(draw, minute=None):
    """Returns windows, some of which break a rule. - minute: near which a deadline is."""
    windows = []
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 4, 6))):
        if minute is None or draw.random() < 0.2:
            deadline = draw.randrange(1440)
        else:
            deadline = (minute + draw.choice((1, 5, 15, 30, 60)) * draw.randint(-4, 6)) % 1440
        opens = None
        if draw.random() < 0.6:
            opens = (deadline - draw.choice((30, 31, 60, 90, 120, 360, 720, 1440))) % 1440
        if opens is not None and draw.random() < 0.02:
            opens = (deadline - draw.randrange(1, 30)) % 1440
        windows.append((some_days(draw), opens, deadline))
    return windows


def legal_windows(draw, minute=None):
    while True:
        windows = some_windows(draw, minute)
        if not breaks_a_rule(windows):
            return windows


def text(windows):
    return ",".join(
        f"{sum(1 << day for day in days)}/{'-' if opens is None else opens}/{deadline}"
        for days, opens, deadline in windows
    )


def case(draw, name, zone, steps, around, minute=None):
    """Returns a line, for a check-in in the days before a moment."""
    if draw.random() < 0.03:
        windows = some_windows(draw, minute)
        if breaks_a_rule(windows):
            return f"{name}|{text(windows)}|{around}|-|-|"
    windows = legal_windows(draw, minute)
    check_in = around - draw.randrange(2 * DAY) + draw.randrange(DAY // 2)
    if draw.random() < 0.5:
        # At the edge of a window.
        edges = [found for found in occurrences(zone, windows, check_in) if found[1] > check_in]
        check_in = draw.choice(edges[:4])[draw.randrange(2)] + draw.choice((-1, 0, 1))
    opening, deadline = answer(zone, windows, check_in)
    offsets = offsets_between(zone, steps, check_in - 3 * DAY, deadline + 3 * DAY)
    return f"{name}|{text(windows)}|{check_in}|{opening}|{deadline}|{offsets}"


def offsets_between(zone, steps, start, end):
    offsets = [(start, offset(zone, start))] + [step for step in steps if start < step[0] <= end]
    return ",".join(f"{moment}:{seconds}" for moment, seconds in offsets)


def sleep_case(draw, name, zone, steps, around, minute=None):
    """Returns a line, for a deadline near a moment. - minute: near which they begin or end."""
    length = draw.choice((30, 31, 60, 120, 480, 540, 600, draw.randint(30, 600)))
    if draw.random() < 0.03:
        length = draw.choice((1, 29, 601, 720, 1440))
    edge = draw.randrange(1440)
    if minute is not None and draw.random() < 0.8:
        edge = (minute + draw.choice((1, 5, 15, 30, 60)) * draw.randint(-4, 6)) % 1440
    start = edge if draw.random() < 0.5 else (edge - length) % 1440
    until = (start + length) % 1440
    if not SHORTEST_SLEEP <= length <= LONGEST_SLEEP:
        return f"{name}|{start}|{until}|{around}|-|"
    deadline = around - draw.randrange(DAY) + draw.randrange(DAY)
    if draw.random() < 0.5:
        ends = draw.choice(list(nights(zone, start, length, deadline)))
        deadline = ends[draw.randrange(2)] + draw.choice((-1, 0, 1))
    after = moved(zone, start, length, deadline)
    offsets = offsets_between(zone, steps, deadline - 3 * DAY, after + 3 * DAY)
    return f"{name}|{start}|{until}|{deadline}|{after}|{offsets}"


def main(seed, count, case):
    draw = random.Random(seed)
    zones = {name: ZoneInfo(name) for name in places()}
    steps = {name: changes(zone, FIRST - 30 * DAY, LAST + 60 * DAY) for name, zone in zones.items()}
    near = [(name, moment) for name in zones for moment, _ in steps[name] if FIRST <= moment < LAST]
    draw.shuffle(near)
    names = list(zones)
    for number in range(count):
        if number % 4 != 3 and near:
            name, moment = near[(number * 3 // 4) % len(near)]
            # The time that the clock shows just before or after its change.
            shown = moment + offset(zones[name], moment - draw.randrange(2))
            line = case(draw, name, zones[name], steps[name], moment, shown % DAY // 60)
        else:
            name = draw.choice(names)
            line = case(draw, name, zones[name], steps[name], draw.randrange(FIRST, LAST))
        print(line)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sleep_case if sys.argv[3:] else case)

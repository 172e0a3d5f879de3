import Domain
import Foundation

extension Truth {
    enum Plan: Equatable, Sendable {
        case interval, intervalWithSleep(SleepTimes), times(LocalTimes), none

        var isTimes: Bool { if case .times = self { true } else { false } }
        var hasSleep: Bool { if case .intervalWithSleep = self { true } else { false } }
        var isInterval: Bool { self == .interval || hasSleep }

        /// Returns a deadline of an interval, moved out of the sleep hours.
        func outsideSleep(_ deadline: Date) -> Date {
            if case .intervalWithSleep(let sleep) = self { sleep.moved(deadline) } else { deadline }
        }
    }

    /// The first deadline after a change of schedule or a pause, in the server's time.
    struct First: Equatable, Sendable {
        /// The change, or the end of the pause.
        var from: Date
        var deadline: Date
    }

    struct Pause: Equatable, Sendable {
        var began: Date
        var until: Date
        /// Whether the person has ended it.
        var isCut = false
    }
}

/// The deadlines of product.md ("Schedules", "Pause"), independent of the product's code.
extension Truth.Account {
    mutating func findDeadline() {
        (opening, deadline) = (nil, nil)
        guard let lastCheckIn else { return }
        let regular: LocalTimes.Span?
        switch plan {
        case .none: return
        case .interval, .intervalWithSleep:
            regular = .init(opening: lastCheckIn, deadline: endOfInterval(from: lastCheckIn))
        case .times(let times): regular = times.first(openingAfter: lastCheckIn)
        }
        guard let regular else { return }
        (opening, deadline) = (plan.isTimes ? regular.opening : nil, regular.deadline)
        // Neither a check-in before the change nor one before the first deadline makes it earlier.
        if let first, lastCheckIn < first.from || regular.deadline < first.deadline,
            lastCheckIn < first.deadline
        {
            deadline = first.deadline
            guard case .times(let times) = plan, let span = times.first(dueFrom: first.deadline)
            else { return opening = nil }
            opening = span.deadline == first.deadline ? span.opening : nil
        }
    }

    private func endOfInterval(from moment: Date) -> Date {
        plan.outsideSleep(moment.adding(interval))
    }

    func isPaused(at serverNow: Date) -> Bool { pause.map { serverNow < $0.until } ?? false }

    /// Whether the server may count from other moments, because its clock was wrong.
    var isUnsure: Bool { receiptError > .zero && (plan != .interval || first != nil) }

    /// How long the person may be silent; nil without deadlines.
    var longestSilence: Duration? {
        switch plan {
        case .none: nil
        case .interval: interval
        case .intervalWithSleep(let sleep): interval + .minutes(sleep.length + 60)
        case .times(let times): times.longestSilence
        }
    }

    /// Whether some deadlines surely come later than before. The longest silence may be the same.
    func isLater(than before: Self) -> Bool {
        if plan.isInterval, before.plan.isInterval, interval > before.interval { return true }
        guard let count = deadlinesInFourWeeks, let old = before.deadlinesInFourWeeks else {
            return false
        }
        // A part of an interval at the end of the four weeks may make a count differ.
        return count + 3 <= old
    }

    /// The deadlines of a person who checks in just before each; nil without deadlines.
    private var deadlinesInFourWeeks: Int? {
        let seconds = max(1, Int(interval.components.seconds))
        switch plan {
        case .none: return nil
        case .interval: return 28 * 86_400 / seconds
        case .intervalWithSleep(let sleep): return sleep.deadlinesInFourWeeks(every: seconds)
        case .times(let times): return 4 * times.days.count * times.windows.count
        }
    }

    /// - Returns: true if this changes the deadlines.
    mutating func change(
        to plan: Truth.Plan, _ interval: Duration, at serverNow: Date
    ) -> Bool {
        let isNew =
            self.plan != plan || plan.isInterval && self.interval != interval
        let old = self
        (self.plan, self.interval) = (plan, interval)
        if isNew { first = old.first(under: self, at: serverNow) }
        return isNew
    }

    private func first(under new: Self, at serverNow: Date) -> Truth.First? {
        guard let lastCheckIn else { return nil }
        if let pause, isPaused(at: serverNow) { return new.first(afterPause: pause.until) }
        switch new.plan {
        case .none: return nil
        case .interval, .intervalWithSleep:
            // A new interval counts from the last check-in, or what has replaced it since.
            var from: [Date] = []
            if plan == .none { from.append(serverNow) }
            if plan.isInterval, let first { from.append(first.from) }
            if let pause { from.append(pause.until) }
            guard let latest = from.max(), latest > lastCheckIn else {
                // Unused times may follow a plan without deadlines, and an old check-in.
                guard plan.isTimes, let first, lastCheckIn < first.from, let deadline,
                    deadline > serverNow, new.endOfInterval(from: lastCheckIn) <= serverNow
                else { return nil }
                let kept = min(deadline, serverNow.adding(new.interval))
                return .init(from: serverNow, deadline: new.plan.outsideSleep(kept))
            }
            return .init(from: latest, deadline: new.endOfInterval(from: latest))
        case .times(let times):
            let soonest = serverNow.adding(.hours(1))
            guard let span = times.first(dueFrom: soonest) else { return nil }
            guard let deadline else { return .init(from: serverNow, deadline: span.deadline) }
            let isSecond = first.map { lastCheckIn < $0.from && $0.from != pause?.until } ?? false
            let latest =
                isSecond && deadline > serverNow
                ? deadline : max(deadline.adding(isSecond ? .zero : .hours(24)), soonest)
            return .init(from: serverNow, deadline: min(span.deadline, latest))
        }
    }

    private func first(afterPause end: Date) -> Truth.First? {
        switch plan {
        case .none: nil
        case .interval, .intervalWithSleep:
            .init(from: end, deadline: endOfInterval(from: end))
        case .times(let times):
            times.first(dueFrom: end.adding(.hours(2))).map {
                .init(from: end, deadline: $0.deadline)
            }
        }
    }

    /// Begins a pause, which is a check-in, or changes its end.
    mutating func pause(until end: Date, at serverNow: Date) {
        if !isPaused(at: serverNow) {
            lastCheckIn = serverNow
            pause = .init(began: serverNow, until: end)
        }
        pause?.until = end
        first = first(afterPause: end)
    }

    mutating func endPause(at serverNow: Date) {
        pause?.until = serverNow
        pause?.isCut = true
        first = first(afterPause: serverNow)
    }
}

import Domain
import Foundation

/// The rules of product.md, "Schedules", "Pause" and "The last call".
extension Invariant {
    static let paused: @Sendable (Observation) -> String? = { world in
        for alert in world.open where alert.kind == .missedCheckIn {
            guard let account = world.truth.accounts[alert.owner], let pause = account.pause,
                world.truth.alarm(of: alert.owner, .missedCheckIn) == nil,
                account.receiptError == .zero
            else { continue }
            let end = pause.until.adding(.zero - .milliseconds(slew(world)) - tolerance)
            if world.now < end {
                return "\(world.name(alert.owner)) is paused for another "
                    + "\(span(pause.until, since: world.now)), and missed a check-in"
            }
        }
        return nil
    }

    /// Checks that responders were told of an act at once, and of an end within a second.
    static let scheduleNews: @Sendable (Observation) -> String? = { world in
        if let untold = world.hearing.untold.first {
            return "\(world.name(untold.edge.responder)) was not told (\(untold.news)) of "
                + world.name(untold.edge.owner)
        }
        guard let sound = world.soundSince else { return nil }
        for (owner, account) in world.truth.accounts.enumerated() {
            guard let account, let pause = account.pause, !pause.isCut,
                !world.broken.contains(owner),
                world.clockWrong.map({ $0.until < pause.began }) ?? true,
                world.truth.restore.map({ $0.at < pause.began }) ?? true
            else { continue }
            let latest = [pause.until, sound, world.runningSince.adding(.minutes(1))].max()
            guard let latest, world.now > latest.adding(tolerance) else { continue }
            for (edge, since) in world.truth.roles
            where edge.owner == owner && since < pause.until.adding(.minutes(-1))
                && world.truth.accounts[edge.responder] != nil
            {
                if world.hearing.pauseEnds[edge] ?? .distantPast >= pause.until { continue }
                return "\(world.name(edge.responder)) was not told that the pause of "
                    + "\(world.name(owner)) has ended"
            }
        }
        return nil
    }

    /// The greatest change of clocks in the zones of the simulation.
    private static let clockChange: Duration = .hours(1)
    /// The first deadline is an hour away from a change, and two hours from the end of a pause.
    private static let untilFirst: Duration = .hours(2)

    static let silence: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        for (person, account) in world.truth.accounts.enumerated() {
            guard let account, let last = account.lastCheckIn, let shown = account.shownSilence,
                account.receiptError == .zero, !account.isPaused(at: world.serverNow),
                !world.broken.contains(person), world.openAlert(person, .missedCheckIn) == nil
            else { continue }
            let from = account.first.map(\.from) ?? last
            let since = max(from, last)
            let more = account.plan == .interval ? .zero : clockChange
            let limit = since.adding(shown + more + (since > last ? untilFirst : .zero))
            guard world.now > latest(limit, account, sound: sound, world) else { continue }
            return "\(world.name(person)) has been silent for \(span(world.now, since: last)), "
                + "and the form showed \(span(since.adding(shown), since: since))"
        }
        return nil
    }

    /// Checks that each part of the last call that is on was made within a minute of its time.
    static let lastCall: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        let restored = world.truth.restore?.at ?? .distantPast
        for (person, account) in world.truth.accounts.enumerated() {
            guard let account, let deadline = account.deadline, account.receiptError == .zero,
                world.now < deadline, !world.broken.contains(person)
            else { continue }
            let hasDevice = !account.endpoints.isEmpty || !account.endings.isEmpty
            for step in LastCallStep.allCases {
                let isOn =
                    step == .message
                    ? account.lastCall.sendsMessage : account.lastCall.calls ?? !hasDevice
                let due = deadline.adding(step == .message ? .minutes(-10) : .minutes(-5))
                let changed = world.hearing.reminderChange[person] ?? .distantPast
                let latest =
                    [sound, world.runningSince, restored, account.deadlineSince, changed]
                    .max() ?? sound
                guard isOn, latest < due.adding(.minutes(-1)), world.now > due.adding(.minutes(1))
                else { continue }
                let known = world.hearing.reminders[person]
                if known?.deadline == deadline, known?.lastCalls[step] != nil { continue }
                return "\(world.name(person)) got no last call (\(step)), and has "
                    + "\(span(deadline, since: world.now)) left"
            }
        }
        return nil
    }
}

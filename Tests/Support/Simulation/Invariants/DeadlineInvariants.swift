import Domain
import Foundation

/// Invariants about deadlines and repeats. Each returns a description of the violation; nil if
/// there is none.
extension Invariant {
    /// How late the server may notice anything.
    static let tolerance: Duration = .seconds(1)

    static let missed: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        for (person, account) in world.truth.accounts.enumerated() {
            guard let account, let deadline = account.deadline, !account.isUnsure,
                !world.broken.contains(person),
                world.openAlert(person, .missedCheckIn) == nil
            else { continue }
            guard world.now > latest(deadline, account, sound: sound, world) else { continue }
            return
                "\(world.name(person))'s deadline passed \(span(world.now, since: deadline)) ago, "
                + "without an alert"
        }
        return nil
    }

    /// Returns the true time when the alert of a deadline must be open.
    static func latest(
        _ deadline: Date, _ account: Truth.Account, sound: Date, _ world: Observation
    ) -> Date {
        let moments = [
            deadline.adding(account.receiptError), account.deadlineSince, sound,
            world.runningSince.adding(world.downtime > .seconds(60) ? .seconds(60) : .zero),
        ]
        return (moments.max() ?? deadline).adding(
            tolerance + (isDoubtful(deadline, account, world) ? .minutes(15) : .zero))
    }

    /// Returns whether a restore may have lost a check-in of this person.
    private static func isDoubtful(
        _ deadline: Date, _ account: Truth.Account, _ world: Observation
    ) -> Bool {
        guard let restore = world.truth.restore, deadline >= restore.to.adding(.zero - tolerance)
        else { return false }
        return account.heardAt ?? .distantPast < restore.at
            && world.now < world.runningSince.adding(.days(7) + .minutes(15))
    }

    static let early: @Sendable (Observation) -> String? = { world in
        for alert in world.open where alert.kind == .missedCheckIn {
            guard let account = world.truth.accounts[alert.owner], let deadline = account.deadline,
                world.truth.alarm(of: alert.owner, .missedCheckIn) == nil, !account.isUnsure
            else { continue }
            let slew = slew(world)
            let earliest = deadline.adding(
                .zero - account.receiptError - .milliseconds(slew) - tolerance)
            if world.now < earliest {
                return
                    "\(world.name(alert.owner)) has \(span(deadline, since: world.now)) left, "
                    + "and an alert is open"
            }
        }
        return nil
    }

    /// How far the server's clock may be ahead, in milliseconds.
    static func slew(_ world: Observation) -> Int64 {
        // While the machine's clock is wrong, the server's clock may run 5 % fast.
        let slew = world.clockWrong.map { $0.span.milliseconds / 20 } ?? 0
        // A server that starts with its machine and a wrong clock can't know the right time.
        guard world.startedWrong else { return slew }
        return max(slew, abs(world.serverNow.since(world.now).milliseconds))
    }

    static let grace: @Sendable (Observation) -> String? = { world in
        guard world.downtime > .seconds(60), world.now < world.runningSince.adding(.seconds(60)),
            world.soundSince != nil
        else { return nil }
        for alert in world.open where alert.kind == .missedCheckIn {
            guard let account = world.truth.accounts[alert.owner], let deadline = account.deadline,
                deadline > world.runningSince.adding(.zero - world.downtime),
                deadline <= world.runningSince, !account.isUnsure,
                // Skips people whose device has delivered its check-ins since.
                account.heardAt ?? .distantPast < world.runningSince,
                world.truth.alarm(of: alert.owner, .missedCheckIn) == nil
            else { continue }
            return
                "\(world.name(alert.owner))'s responders were told \(sinceStart(world)) "
                + "after an outage of \(world.downtime.components.seconds) s"
        }
        return nil
    }

    static let restore: @Sendable (Observation) -> String? = { world in
        guard let restore = world.truth.restore, world.soundSince != nil,
            world.now < restore.at.adding(.days(7))
        else { return nil }
        for alert in world.open where alert.kind == .missedCheckIn {
            guard let account = world.truth.accounts[alert.owner], let deadline = account.deadline,
                deadline > restore.to, account.heardAt ?? .distantPast < restore.at,
                account.receiptError == .zero, alert.startedAt > restore.at,
                world.truth.alarm(of: alert.owner, .missedCheckIn) == nil
            else { continue }
            let asked = world.hearing.areYouOK[alert.owner] ?? .distantPast
            if asked >= restore.at, asked <= alert.startedAt.adding(.zero - .minutes(15)) {
                continue
            }
            return
                "\(world.name(alert.owner))'s responders were told \(sinceStart(world)) "
                + "after a restore, and \(world.name(alert.owner)) was not asked first"
        }
        return nil
    }

    /// Checks that every responder was told at or after the last repeat, except new ones.
    static let repeats: @Sendable (Observation) -> String? = { world in
        guard !mayHoldAlerts(world) else { return nil }
        for alarm in world.truth.alarms where alarm.isUnattended {
            let moment = Alarm.lastRepeat(by: world.lastPass, from: alarm.escalationFrom)
            if let text = untold(alarm, at: moment, world) { return text }
        }
        return nil
    }

    static let silent: @Sendable (Observation) -> String? = { world in
        for alert in world.open where !world.broken.contains(alert.owner) && alert.nextDue == nil {
            return
                "\(world.name(alert.owner))'s alert has no next repeat, "
                + "\(span(world.serverNow, since: alert.startedAt)) after it began"
        }
        return nil
    }

    /// Returns whether alerts of a restored backup may wait for their end. That begins with the
    /// first start after the restore.
    private static func mayHoldAlerts(_ world: Observation) -> Bool {
        world.truth.restore != nil && world.now < world.runningSince.adding(.seconds(65))
    }

    /// Returns when the pause that began at `start` is over. A pause of a restored backup ends
    /// with the wait of its alert.
    private static func endOfPause(
        of length: Duration, since start: Date, _ world: Observation
    ) -> Date {
        let end = start.adding(length)
        guard let restore = world.truth.restore, start < restore.at,
            let sound = world.soundSince, sound < restore.at
        else { return end }
        return min(end, world.runningSince.adding(.seconds(61)))
    }

    static let question: @Sendable (Observation) -> String? = { world in
        guard !mayHoldAlerts(world) else { return nil }
        for alarm in world.truth.alarms where !world.broken.contains(alarm.owner) {
            guard alarm.reportedAt == nil, let taken = alarm.acknowledgedAt,
                let by = alarm.acknowledgedBy,
                world.lastPass
                    >= endOfPause(
                        of: .minutes(30) + world.gapGrowth(since: taken), since: taken, world),
                // The author of a report may have left later. The server then asks again.
                world.lastPass > alarm.released?.at ?? .distantPast
            else { continue }
            let since = max(taken, alarm.released?.at ?? taken)
            guard let asked = world.hearing.questions[alarm.id], asked >= since else {
                return
                    "\(world.name(by)) took on the alert of \(world.name(alarm.owner)) "
                    + "30 minutes ago, or before a restore, and was not asked"
            }
            let lapse = asked.adding(.minutes(5))
            if world.lastPass >= lapse, let text = untold(alarm, at: lapse, world) { return text }
        }
        return nil
    }

    static let pause: @Sendable (Observation) -> String? = { world in
        guard !mayHoldAlerts(world) else { return nil }
        for alarm in world.truth.alarms {
            guard let reported = alarm.reportedAt else { continue }
            let end = endOfPause(of: .hours(12), since: reported, world)
            guard world.lastPass >= end,
                let text = untold(alarm, at: end, world)
            else { continue }
            return "the pause is over: \(text)"
        }
        return nil
    }

    static let again: @Sendable (Observation) -> String? = { world in
        for alarm in world.truth.alarms
        where alarm.kind == .missedCheckIn && alarm.isUnattended {
            guard let account = world.truth.accounts[alarm.owner], let deadline = account.deadline,
                deadline != alarm.deadline, world.lastPass >= deadline,
                // A deadline that had passed before it was set needs no message of its own.
                account.deadlineSince < deadline,
                account.receiptError == .zero,
                let sound = world.soundSince, world.now >= sound.adding(.minutes(2)),
                world.now >= world.runningSince.adding(.minutes(2))
            else { continue }
            if let text = untold(alarm, at: deadline, world) { return "a new deadline: \(text)" }
        }
        return nil
    }

    private static func untold(_ alarm: Alarm, at moment: Date, _ world: Observation) -> String? {
        guard !world.broken.contains(alarm.owner), world.soundSince != nil else { return nil }
        for responder in world.truth.responders(of: alarm.owner)
        where !world.broken.contains(responder) && alarm.concerns(responder) {
            let since =
                world.truth.listeners[Edge(responder: responder, owner: alarm.owner)]
                ?? world.now
            let told = world.hearing.told[alarm.id]?[responder]
            let corrected = told.map { $0.adding(world.gapGrowth(since: $0)) }
            // The responder who withdrew knows that the alert is unattended.
            if let released = alarm.released, released.by == responder, moment <= released.at {
                continue
            }
            // A new responder was told when they became one.
            guard since < moment.adding(.zero - .minutes(1)), since < alarm.noticedAt,
                corrected ?? .distantPast < moment
            else { continue }
            let last = told.map { "since \(span(world.serverNow, since: $0))" } ?? "at all"
            return
                "\(world.name(responder)) was not told of the alert of \(world.name(alarm.owner)) "
                + last
        }
        return nil
    }

    static let status: @Sendable (Observation) -> String? = { world in
        for alert in world.open
        where alert.kind == .missedCheckIn && world.openAlert(alert.owner, .manual) == nil
            && world.openAlert(alert.owner, .journey) == nil
        {
            guard let status = world.status[alert.owner], status != .nonResponsive else { continue }
            return "\(world.name(alert.owner))'s alert is open, and the status is \(status)"
        }
        return nil
    }

    private static func sinceStart(_ world: Observation) -> String {
        span(world.now, since: world.runningSince)
    }

    static func span(_ later: Date, since earlier: Date) -> String {
        let seconds = later.since(earlier).milliseconds / 1_000
        return seconds < 120
            ? "\(seconds) s" : seconds < 7_200 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
    }
}

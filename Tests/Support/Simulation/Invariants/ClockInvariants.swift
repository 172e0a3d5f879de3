import Domain
import Foundation

/// The rules of product.md, "The server's clock".
extension Invariant {
    /// The server closes gaps of a second gradually. The machine's clock agrees with the server's
    /// count if they differ by less than a second.
    private static let smallGap: Duration = .seconds(2)

    static let clock: @Sendable (Observation) -> String? = { world in
        let error = Duration.milliseconds(abs(world.serverNow.since(world.now).milliseconds))
        guard error > world.clockBound + smallGap else { return nil }
        return "the server's time is wrong by \(error.milliseconds) ms, and may be wrong by "
            + "\(world.clockBound.milliseconds) ms"
    }

    /// A grace follows an outage. In it, a machine that has just started can correct its clock.
    static let wrongStart: @Sendable (Observation) -> String? = { world in
        guard world.startedWrong, world.startedAhead, world.downtime > .minutes(10),
            world.truth.restore.map({ world.now.since($0.at) > .days(8) }) ?? true
        else { return nil }
        let grace = world.runningSince.adding(.seconds(60))
        let stopped = world.runningSince.adding(.zero - world.downtime)
        for (person, account) in world.truth.accounts.enumerated() {
            guard world.sureAtStart.contains(person), !world.broken.contains(person),
                world.truth.alarm(of: person, .missedCheckIn) == nil,
                let account, let deadline = account.deadline, deadline > stopped,
                account.heardAt ?? .distantPast < stopped, account.deadlineSince < stopped
            else { continue }
            if world.openAlert(person, .missedCheckIn) != nil {
                // The server gives a grace only for deadlines that passed while it was down.
                let isOnTime = deadline > world.runningSince && world.now >= deadline
                guard world.now < grace, !isOnTime else { continue }
                return "\(world.name(person)) has an alert "
                    + "\(span(world.now, since: world.runningSince)) after a start with a wrong "
                    + "clock"
            }
            guard let sound = world.soundSince, world.clockBound == .zero,
                world.now > max(deadline, sound, grace).adding(tolerance)
            else { continue }
            return "\(world.name(person))'s deadline passed \(span(world.now, since: deadline)) "
                + "ago, without an alert, and the clock has been right since then"
        }
        return nil
    }
}

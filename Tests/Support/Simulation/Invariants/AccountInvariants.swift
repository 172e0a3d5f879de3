import Domain
import Foundation

/// The rules of product.md, "Administrators" and "Sign-in".
extension Invariant {
    /// For the pauses of a loop, a failed pass, and the deliveries.
    private static let timeForALoop: Duration = .minutes(3)
    /// An endpoint's back-off after trouble.
    private static let backOff: Duration = .minutes(15)

    static let accountNews: @Sendable (Observation) -> String? = { world in
        world.hearing.owed.first.map {
            "\(world.name($0.person)) was not told: \"\($0.title)\""
        }
    }

    static let devices: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        let restored = world.truth.restore?.at ?? .distantPast
        for message in world.hearing.onTheWay {
            let (endpoint, begin) = (message.endpoint, message.madeAt)
            guard world.now > begin.adding(backOff),
                max(sound, world.runningSince, restored) < begin,
                let account = world.truth.accounts[endpoint.person],
                account.endpoints[endpoint.number] != nil, account.removalsTold == 0,
                world.lastTrouble(endpoint) ?? .distantPast < begin.adding(.zero - backOff),
                world.hearing.added[endpoint] ?? .distantPast < begin,
                world.hearing.acts[endpoint.person] ?? .distantPast < begin
            else { continue }
            return "\(endpoint) did not get \"\(message.title)\" in "
                + span(world.now, since: begin)
        }
        return nil
    }

    static let move: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince, !world.startedWrong else { return nil }
        for (person, account) in world.truth.accounts.enumerated() {
            guard let move = account?.move, account?.isLocked == false,
                world.clockWrong.map({ $0.until < move.begunAt }) ?? true,
                world.truth.restore.map({ $0.at < move.begunAt }) ?? true
            else { continue }
            let latest = max(move.dueAt, sound, world.runningSince)
            guard world.now > latest.adding(timeForALoop) else { continue }
            return "\(world.name(person))'s number has not changed "
                + "\(span(world.now, since: move.begunAt)) after the command"
        }
        return nil
    }

    static let announcement: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        let restored = world.truth.restore?.at ?? .distantPast
        for announcement in world.truth.announcements {
            let latest = max(announcement.madeAt, sound, world.runningSince, restored)
            guard world.now > latest.adding(timeForALoop) else { continue }
            let untold = announcement.people.filter { person, user in
                !announcement.told.contains(person)
                    && world.truth.accounts[person]?.caller.userID == user
            }
            guard let person = untold.keys.min() else { continue }
            return "\(world.name(person)) was not told \"\(announcement.text)\""
        }
        return nil
    }
}

import Domain
import Foundation

extension Invariant {
    /// The time limit for a message about an end. Retries are at most ten minutes apart, and the
    /// message may wait another ten.
    private static let patience: Duration = .minutes(45)

    /// The time limit for an alarm. It allows for a few retries.
    static let timeForAnAlert: Duration = .minutes(2)

    static let alarm: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        for alarm in world.truth.alarms
        where alarm.isUnattended && !world.mayLackBudget(alarm.owner) {
            let begin = alarm.noticedAt
            let restored = world.truth.restore?.at ?? .distantPast
            guard world.now > begin.adding(timeForAnAlert), !world.broken.contains(alarm.owner),
                max(sound, world.runningSince, restored) < begin
            else { continue }
            for (edge, since) in world.truth.roles
            where edge.owner == alarm.owner && since < begin
                && alarm.wasChosen(edge.responder)
            {
                let phone = Endpoint.sms(edge.responder)
                let place = Hearing.Place(endpoint: phone, alert: alarm.id)
                guard world.truth.getsTexts(edge.responder, since: begin),
                    !world.hearing.alarmed.contains(place),
                    !world.hearing.lastIsAlarm.contains(edge),
                    world.lastTrouble(phone) ?? .distantPast < begin,
                    world.hearing.acts[edge.responder] ?? .distantPast < begin,
                    !world.broken.contains(edge.responder)
                else { continue }
                return
                    "\(phone) heard nothing of the alert of \(world.name(alarm.owner)) in "
                    + span(world.now, since: begin)
            }
        }
        return nil
    }

    static let allClear: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        for debt in world.hearing.debts {
            let endpoint = debt.place.endpoint
            let edge = Edge(responder: endpoint.person, owner: debt.owner)
            let parted = world.truth.listeners[edge] == nil ? world.hearing.left[edge] : nil
            // While another alert is open, the end waits, because the last message is true.
            // Webhooks get each end.
            let mayWait =
                endpoint.isMail || endpoint.isApp
                || endpoint.isSMS && world.hearing.lastIsAlarm.contains(edge)
            if mayWait, world.truth.alarms.contains(where: { $0.owner == debt.owner }) {
                continue
            }
            guard let end = [world.hearing.over[debt.place.alert], parted].compactMap(\.self).min()
            else { continue }
            let since = [
                end, mayWait ? world.hearing.lastEnd[debt.owner] ?? end : end, sound,
                world.runningSince, world.lastTrouble(endpoint) ?? .distantPast,
            ].max()
            guard let since, world.now > since.adding(patience), isReachable(endpoint, world),
                !world.broken.contains(debt.owner), !world.broken.contains(endpoint.person)
            else { continue }
            return "\(endpoint) heard that \(world.name(debt.owner)) needs help, "
                + "and in \(span(world.now, since: end)) nothing of the end"
        }
        return nil
    }

    private static func isReachable(_ endpoint: Endpoint, _ world: Observation) -> Bool {
        if endpoint.isSMS {
            return world.truth.userID(of: endpoint.person) != nil
                && world.truth.stops[endpoint.person] == nil
        }
        if endpoint.isMail { return world.truth.hasMail(endpoint.person) }
        let account = world.truth.accounts[endpoint.person]
        return account?.endpoints[endpoint.number] != nil
    }
}

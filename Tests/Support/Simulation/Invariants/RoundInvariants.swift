import Domain
import Foundation

/// The ladder of every later round: of each repeat, and after a lapse or a pause.
extension Invariant {
    static let rounds: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        let restored = world.truth.restore?.at ?? .distantPast
        for alarm in world.truth.alarms
        where alarm.isUnattended && !world.broken.contains(alarm.owner) {
            for (person, begin) in (world.hearing.rounds[alarm.id] ?? [:]).sorted(by: {
                $0.key < $1.key
            }) {
                let edge = Edge(responder: person, owner: alarm.owner)
                guard max(sound, world.runningSince, restored) < begin,
                    alarm.attentionSince.since(begin) <= .seconds(1),
                    world.truth.roles[edge] ?? world.now < begin.adding(.minutes(-1)),
                    world.hearing.acts[person] ?? .distantPast < begin,
                    alarm.released?.by != person, !world.broken.contains(person)
                else { continue }
                let silent = channels(of: edge, alarm, begin: begin, world).first {
                    begin.adding($0.time) < world.now && isSilent($0.endpoint, alarm, begin, world)
                }
                guard let silent else { continue }
                return "\(silent.endpoint) heard nothing of the alert of "
                    + "\(world.name(alarm.owner)) in the "
                    + "\(span(world.now, since: begin)) of a later round"
            }
        }
        return nil
    }

    /// Half an hour after the beginning, a round may leave out the calls.
    private static func channels(
        of edge: Edge, _ alarm: Alarm, begin: Date, _ world: Observation
    ) -> [(endpoint: Endpoint, time: Duration)] {
        let responders = world.truth.roles.keys.count { $0.owner == edge.owner }
        return channels(of: edge, responders: responders, since: begin, world).filter {
            !$0.endpoint.isCall || begin.since(alarm.escalationFrom) < .minutes(29)
        }
    }

    private static func isSilent(
        _ endpoint: Endpoint, _ alarm: Alarm, _ begin: Date, _ world: Observation
    ) -> Bool {
        let place = Hearing.Place(endpoint: endpoint, alert: alarm.id)
        return world.hearing.added[endpoint] ?? .distantPast < begin
            && world.lastTrouble(endpoint) ?? .distantPast < begin.adding(.minutes(-15))
            && world.hearing.heardAt[place] ?? .distantPast < begin
    }
}

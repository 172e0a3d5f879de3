import Domain
import Foundation

/// The times of Docs/ladder.md, with room for retries and a slightly wrong clock. They are
/// independent of the product's code.
extension Invariant {
    private static let push: Duration = .seconds(30)
    private static let sms: Duration = .seconds(60)
    /// Two people are called every 45 seconds, from 90 seconds on.
    private static func call(_ responders: Int) -> Duration {
        .seconds(90 + 45 * ((responders + 1) / 2) + 30)
    }
    /// With more responders, the first repeat comes before the last call.
    private static let mostForCalls = 4

    /// The invariant is checked at these times after an alarm.
    static let ladderTimes = [push, sms, call(mostForCalls)]

    static let ladder: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        for alarm in world.truth.alarms where alarm.isUnattended && alarm.released == nil {
            let begin = alarm.noticedAt
            let restored = world.truth.restore?.at ?? .distantPast
            guard max(sound, world.runningSince, restored) < begin,
                !world.broken.contains(alarm.owner)
            else { continue }
            let watching = world.truth.roles.filter { $0.key.owner == alarm.owner }
            for (edge, since) in watching.sorted(by: { $0.key.responder < $1.key.responder })
            where since < begin && alarm.wasChosen(edge.responder)
                && !world.broken.contains(edge.responder)
                && world.hearing.acts[edge.responder] ?? .distantPast < begin
            {
                let silent = channels(
                    of: edge, responders: watching.count, since: begin, world
                ).first {
                    begin.adding($0.time) < world.now && isSilent($0.endpoint, alarm, edge, world)
                }
                guard let silent else { continue }
                return "\(silent.endpoint) heard nothing of the alert of "
                    + "\(world.name(alarm.owner)) in \(span(world.now, since: begin))"
            }
        }
        return nil
    }

    static func channels(
        of edge: Edge, responders: Int, since begin: Date, _ world: Observation
    ) -> [(endpoint: Endpoint, time: Duration)] {
        let person = edge.responder
        let webhooks = (world.truth.accounts[person]?.endpoints.keys.sorted() ?? []).map {
            (endpoint: Endpoint(person: person, number: $0), time: push)
        }
        let calls =
            responders <= mostForCalls && !world.truth.isCorrespondent(person)
                && (world.truth.accounts[person] != nil || world.truth.stops[person] == nil)
            ? [(endpoint: Endpoint.call(person), time: call(responders))]
            : []
        let mail =
            world.truth.hasMail(person)
            ? [(endpoint: Endpoint.mail(person), time: push)] : []
        let texts =
            world.truth.getsTexts(person, since: begin)
            ? [(endpoint: Endpoint.sms(person), time: sms)] : []
        return webhooks + mail + (world.mayLackBudget(edge.owner) ? [] : texts + calls)
    }

    private static func isSilent(
        _ endpoint: Endpoint, _ alarm: Alarm, _ edge: Edge, _ world: Observation
    ) -> Bool {
        let place = Hearing.Place(endpoint: endpoint, alert: alarm.id)
        // In a storm, the previous SMS already says that help is needed, unless the responder has
        // answered since. The server orders both by its clock.
        let answered = world.hearing.answered[edge] ?? .distantPast
        let hasAnswered = world.soundSince.map { $0 < answered.adding(.minutes(-1)) } ?? false
        if endpoint.isSMS, world.hearing.lastIsAlarm.contains(edge), !hasAnswered { return false }
        if world.hearing.added[endpoint] ?? .distantPast >= alarm.noticedAt { return false }
        // After trouble, an endpoint's back-off may take ten minutes.
        let trouble = world.lastTrouble(endpoint)?.adding(.minutes(15)) ?? .distantPast
        return trouble < alarm.noticedAt && !world.hearing.reached.contains(place)
    }
}

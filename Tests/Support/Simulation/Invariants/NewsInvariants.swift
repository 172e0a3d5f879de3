import Domain
import Foundation

/// What people know of an open alert, and when. The rules are those of product.md, "Escalation",
/// "Storms" and "Reminders".
extension Invariant {
    /// The time limit for news: ten minutes of a limit, ten of a retry, and the steps of the
    /// ladder.
    private static let patience: Duration = .minutes(25)

    /// Checks what each endpoint last heard of an alert.
    static let latest: @Sendable (Observation) -> String? = { world in
        news(world) { endpoint, alarm, claim in
            guard let claim, !alarm.allows(claim) else { return nil }
            return
                "\(endpoint) last heard of the alert of \(world.name(alarm.owner)) that \(claim), "
                + "which has been untrue for "
                + span(world.serverNow, since: alarm.attentionSince)
        }
    }

    /// Checks that each device, webhook and mailbox of those concerned has heard of an act.
    static let acts: @Sendable (Observation) -> String? = { world in
        news(world) { endpoint, alarm, claim in
            guard claim == nil, !endpoint.isSMS, !alarm.isUnattended || alarm.released != nil
            else { return nil }
            return
                "\(endpoint) heard nothing of what the responders do about the alert of "
                + "\(world.name(alarm.owner)) for "
                + span(world.serverNow, since: alarm.attentionSince)
        }
    }

    private static func news(
        _ world: Observation, _ check: (Endpoint, Alarm, Claim?) -> String?
    ) -> String? {
        guard let sound = world.soundSince else { return nil }
        let restored = world.truth.restore?.at ?? .distantPast
        for alarm in world.truth.alarms where !world.broken.contains(alarm.owner) {
            let since = alarm.attentionSince
            guard world.serverNow > since.adding(patience),
                world.now > max(sound, world.runningSince, alarm.noticedAt).adding(patience),
                restored < since
            else { continue }
            let acting = [alarm.acknowledgedBy, alarm.reportedBy, alarm.released?.by]
            let responders = world.truth.roles.filter {
                $0.key.owner == alarm.owner && $0.value < since.adding(.minutes(-1))
                    && alarm.concerns($0.key.responder)
            }
            for reader in [alarm.owner] + responders.map(\.key.responder).sorted()
            where !acting.contains(reader) && !world.broken.contains(reader) {
                for endpoint in endpoints(of: reader, alarm, world) {
                    let place = Hearing.Place(endpoint: endpoint, alert: alarm.id)
                    if let text = check(endpoint, alarm, world.hearing.claims[place]) {
                        return text
                    }
                }
            }
        }
        return nil
    }

    /// Returns the places of a reader that have worked since long before the last act.
    private static func endpoints(
        of reader: Int, _ alarm: Alarm, _ world: Observation
    ) -> [Endpoint] {
        // The server's time may have been ahead of the times that are compared with it.
        let since = alarm.attentionSince.adding(.milliseconds(-slew(world)))
        let account = world.truth.accounts[reader]
        var endpoints = (account?.endpoints.keys.sorted() ?? []).map {
            Endpoint(person: reader, number: $0)
        }
        if world.truth.hasMail(reader) { endpoints.append(.mail(reader)) }
        let hasActed = world.hearing.acts[reader] ?? .distantPast >= since.adding(.minutes(-1))
        if world.truth.getsTexts(reader, since: since), !hasActed,
            !world.mayLackBudget(alarm.owner),
            !world.mayHaveLackedBudget(alarm.owner, at: since)
        {
            endpoints.append(.sms(reader))
        }
        return endpoints.filter { endpoint in
            world.hearing.added[endpoint] ?? .distantPast < since.adding(.minutes(-1))
                && world.lastTrouble(endpoint) ?? .distantPast < since.adding(.minutes(-15))
        }
    }

    /// Checks that the owner was told at the first repeat that came 15 minutes after the alert was
    /// left alone.
    static let unanswered: @Sendable (Observation) -> String? = { world in
        for alarm in world.truth.alarms
        where alarm.isUnattended && !world.broken.contains(alarm.owner) {
            let since = alarm.attentionSince
            let moment = Alarm.lastRepeat(by: world.lastPass, from: alarm.escalationFrom)
            guard moment >= since.adding(.minutes(15)), world.soundSince != nil,
                world.truth.restore?.at ?? .distantPast < since,
                world.hearing.ownerTold[alarm.id] ?? .distantPast < since
            else { continue }
            return
                "nobody has been on the alert of \(world.name(alarm.owner)) for "
                + "\(span(world.serverNow, since: since)), and \(world.name(alarm.owner)) was "
                + "not told"
        }
        return nil
    }

    /// Checks that each reminder that is on was made within a minute of its time.
    static let reminder: @Sendable (Observation) -> String? = { world in
        guard let sound = world.soundSince else { return nil }
        let restored = world.truth.restore?.at ?? .distantPast
        for (person, account) in world.truth.accounts.enumerated() {
            guard let account, let deadline = account.deadline, account.receiptError == .zero,
                world.now < deadline, !account.isMuted, !world.broken.contains(person)
            else { continue }
            for reminder in Reminder.allCases
            where account.reminders.contains(reminder)
                && (account.plan.isTimes || reminder.lead < account.interval)
            {
                let due = max(
                    deadline.adding(.zero - reminder.lead), account.opening ?? .distantPast)
                // In a short window, only the second reminder comes, or none before the last call.
                let next = reminder == .twoHours ? Reminder.thirtyMinutes.lead : .minutes(10)
                guard due < deadline.adding(.zero - next - .minutes(1)) else { continue }
                let changed = world.hearing.reminderChange[person] ?? .distantPast
                let latest =
                    [sound, world.runningSince, restored, account.deadlineSince, changed]
                    .max() ?? sound
                guard latest < due.adding(.minutes(-1)), world.now > due.adding(.minutes(1))
                else { continue }
                let known = world.hearing.reminders[person]
                if known?.deadline == deadline, known?.made[reminder] != nil { continue }
                return
                    "\(world.name(person)) was not reminded, and has "
                    + "\(span(deadline, since: world.now)) left"
            }
        }
        return nil
    }
}

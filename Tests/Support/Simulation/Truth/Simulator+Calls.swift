import Domain
import Foundation

extension Simulator {
    /// Records a call that has rung, which can't be undone.
    func rang(_ arrival: Outside.Arrival, _ meaning: Meaning) {
        let reader = arrival.endpoint.person
        checkReader(reader, meaning, arrival.item, .sms(reader))
        guard let alert = arrival.item.alertID else { return }
        let place = Hearing.Place(endpoint: arrival.endpoint, alert: alert)
        checkPause(arrival, at: place)
        let isFirst = hearing.reached.insert(place).inserted
        if !arrival.isRefused, !arrival.isBusy {
            hearing.refusedCalls.remove(place)
        } else if isFirst {
            hearing.refusedCalls.insert(place)
        }
        hearing.heardAt[place] = arrival.at
        if hearing.over[alert] != nil {
            note("calls", "\(arrival.endpoint) rang after the end of the alert")
        } else if let alarm = truth.alarms.first(where: { $0.id == alert }), !alarm.isUnattended {
            note("calls", "\(arrival.endpoint) rang, and somebody was on it")
        }
    }

    /// Checks that half an hour after the beginning a person is called at most every six hours, or
    /// every 30 minutes if a responder has answered since. The pauses hold between the rounds, and
    /// a round takes a few minutes.
    private func checkPause(_ arrival: Outside.Arrival, at place: Hearing.Place) {
        // The server doesn't count calls that a provider has refused, or lost the answer to, or
        // the first of a row of calls to a busy line.
        if !arrival.isBusy { hearing.busyLines.remove(place) }
        guard !arrival.isRefused else { return }
        if arrival.isBusy, hearing.busyLines.insert(place).inserted { return }
        let trouble = world.outside.lastTrouble(arrival.endpoint) ?? .distantPast
        let before = hearing.rings.updateValue(
            Hearing.Ring(delivery: arrival.delivery, at: arrival.at), forKey: place)
        guard let before, before.delivery != arrival.delivery, isClockSound,
            max(trouble, moments.clockWrongUntil) < before.at.adding(.minutes(-15)),
            let alarm = truth.alarms.first(where: { $0.id == place.alert }),
            now.since(alarm.escalationFrom) > .minutes(40),
            now.since(truth.restore?.at ?? .distantPast) > .hours(7)
        else { return }
        let wasAnswered = alarm.answeredAt.map { $0 > before.at.adding(.minutes(-10)) } ?? false
        let pause: Duration = wasAnswered ? .minutes(20) : .hours(6) - .minutes(10)
        if arrival.at.since(before.at) < pause {
            note(
                "callPause",
                "\(place.endpoint) rang \(Invariant.span(arrival.at, since: before.at)) "
                    + "after the last call")
        }
    }
}

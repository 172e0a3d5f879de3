import Domain
import Foundation

extension Simulator {
    /// Records a call that has rung, which can't be undone.
    func rang(_ arrival: Outside.Arrival, _ meaning: Meaning) {
        let reader = arrival.endpoint.person
        checkReader(reader, meaning, arrival.item, .sms(reader))
        guard let alert = arrival.item.alertID else { return }
        hearing.reached.insert(Hearing.Place(endpoint: arrival.endpoint, alert: alert))
        if hearing.over[alert] != nil {
            note("calls", "\(arrival.endpoint) rang after the end of the alert")
        } else if let alarm = truth.alarms.first(where: { $0.id == alert }), !alarm.isUnattended {
            note("calls", "\(arrival.endpoint) rang, and somebody was on it")
        }
    }
}

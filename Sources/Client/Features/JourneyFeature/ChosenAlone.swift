import Domain
import Foundation

extension JourneyFeature {
    /// The chosen responders, while an open alert about the journey reaches only them.
    public struct ChosenAlone: Equatable, Sendable {
        /// Those who haven't refused.
        public var names: [String]
        public var refused: [String]
        /// When all others are alerted.
        public var othersAt: Date

        /// "No one is on it yet. Dora is alerted", before `JourneyWords.othersAt`.
        public var words: String {
            let refusal = refused.isEmpty ? "" : "\(listed(refused)) can’t come. "
            let silence = "No one \(refused.isEmpty ? "" : "else ")is on it yet."
            let people = "\(listed(names)) \(names.count == 1 ? "is" : "are")"
            return "\(refusal)\(silence) \(people) alerted"
        }
    }
}

extension JourneyFeature.Told {
    /// nil once all responders are alerted: 15 minutes after the alert's begin, or as soon as all
    /// chosen ones have refused.
    /// - Parameter now: by the server's time; nil before it is known.
    public func alone(in alert: AlertRecord, at now: Date?) -> JourneyFeature.ChosenAlone? {
        guard let planned = othersAt, let now, alert.kind == .journey, alert.isActive,
            alert.isRefusedByAll != true
        else { return nil }
        // After an outage, the alert begins later than at the journey's deadline.
        let end = max(planned, alert.startTime.adding(JourneyRules.chosenAlone))
        guard now < end else { return nil }
        let refusals = (alert.refusals ?? []).map { ProfileRules.displayName($0.name) }
        let asked = names.filter { !refusals.contains($0) }
        guard !asked.isEmpty else { return nil }
        return .init(names: asked, refused: refusals, othersAt: end)
    }
}

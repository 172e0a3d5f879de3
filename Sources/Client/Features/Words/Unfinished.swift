import Domain
import Foundation

/// What the server continues after the user has signed out.
public struct Unfinished: Equatable, Sendable {
    /// The kinds of the user's open alerts.
    public var alerts: [AlertKind]
    public var journey: JourneyRecord?
    /// nil for a schedule without deadlines.
    public var deadline: Date?
    /// The user's time zone; nil if unknown.
    public var zone: ClockZone?
    /// nil while the sign-in lock is off, or not known.
    public var locked: LockedSignIn?
    /// True if the server has not said whether the sign-in lock is on.
    public var isLockUnknown = false

    public init(_ profile: UserProfile? = nil, alerts: [AlertKind] = []) {
        self.alerts = alerts
        journey = profile?.journey
        deadline = profile?.nextCheckInTime
        zone = profile?.timeZone.flatMap { ClockZone($0) }
    }

    /// Returns a sentence or two for each alert, the journey, the deadline and the sign-in lock.
    /// - Parameters:
    ///   - isSignedOut: true after the sign-out, when the user can't do anything first.
    ///   - now: called only if a time is shown.
    public func sentences(isSignedOut: Bool = false, at now: () -> Date) -> [String] {
        var sentences = alerts.map { kind in
            let (alert, first, then) = Self.words(of: kind)
            let way = isSignedOut ? "Sign" : "\(first), or sign"
            return "\(alert) stays on. \(way) in again to \(then)."
        }
        if let words = journeyWords(at: now) {
            sentences.append("Your journey continues: \(words)")
        }
        if deadline != nil, !alerts.contains(.missedCheckIn) { sentences.append(deadlineWords) }
        return sentences + [lockWords].compactMap(\.self)
    }

    /// Says how the user can sign in again. nil if the sign-in lock is off.
    public var lockWords: String? {
        guard isLockUnknown else { return locked?.words }
        return """
            Without an answer from LifeSignal, it isn't known whether the sign-in lock is on. If \
            it is, a code waits 7 days before it signs you in.
            """
    }

    /// Returns a sentence about the journey for a user whose session another device has ended. nil
    /// without a journey, and while the alert about it is on.
    public func journeyAfterEnd(at now: () -> Date) -> String? {
        journeyWords(at: now).map { "Your journey continues while the account is there: \($0)" }
    }

    private func journeyWords(at now: () -> Date) -> String? {
        guard let journey, !alerts.contains(.journey) else { return nil }
        let told: TimedText = """
            your responders are told at \(clock: journey.deadline), unless you sign in again and \
            say that you have arrived.
            """
        return told.text(in: zone, at: now())
    }

    /// A sign-in that waits 7 days may come too late.
    var deadlineWords: String {
        locked?.isOnlyCode == true
            ? "Your deadline keeps running."
            : "Your deadline keeps running: sign in again in time to check in."
    }

    /// "Your alert", "The alert about your journey".
    static func subject(of kind: AlertKind) -> String { words(of: kind).alert }

    private static func words(of kind: AlertKind) -> (alert: String, first: String, then: String) {
        switch kind {
        case .manual: ("Your alert", "End it first", "end it")
        case .missedCheckIn:
            ("The alert about your missed check-in", "Check in first", "check in")
        case .journey:
            (
                "The alert about your journey", "Say first that you have arrived",
                "say that you have arrived"
            )
        }
    }
}

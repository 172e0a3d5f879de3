import Domain
import Foundation

/// The end of the user's alert by another device. Another person may have that device, so this
/// device shows the end until the user has read about it.
public struct EndElsewhere: Equatable, Sendable {
    public var kind: AlertKind
    public var time: Date
    public var ending: AlertRecord.Ending
    /// True if the other device was signed out from here.
    public var isSessionEnded = false

    public init(kind: AlertKind, time: Date, ending: AlertRecord.Ending) {
        self.kind = kind
        self.time = time
        self.ending = ending
    }

    /// Returns the end to show; nil without one. A later end outdates an earlier one of the same
    /// kind, and the later end of a call for help outdates every earlier end. The end of a call for
    /// help is shown before all other ends, because its warning matters most.
    /// - Parameters:
    ///   - alerts: the user's own alerts. They may lack older ones.
    ///   - known: the end that is shown now. It stays unless it is outdated.
    ///   - isNews: returns true for an end that may be shown.
    static func shown(
        among alerts: [AlertRecord], known: EndElsewhere?, isNews: (EndElsewhere) -> Bool
    ) -> EndElsewhere? {
        let listed = alerts.compactMap { alert -> EndElsewhere? in
            guard let time = alert.endTime, let ending = alert.ending else { return nil }
            return EndElsewhere(kind: alert.kind, time: time, ending: ending)
        }
        let others = listed.filter { $0.kind != known?.kind || $0.time != known?.time }
        let ends = [known].compactMap(\.self) + others
        let unread = ends.filter { end in
            (end == known || isNews(end)) && !ends.contains { $0.outdates(end) }
        }
        return unread.first { $0.kind == .manual } ?? unread.max { $0.time < $1.time }
    }

    private func outdates(_ other: EndElsewhere) -> Bool {
        other.time < time && (kind == .manual || kind == other.kind)
    }

    /// Returns true for a recent end by another device that the person has not read about.
    /// - Parameters:
    ///   - own: the session of this device.
    ///   - read: the time of the newest end that was read here.
    func isNews(to own: SessionID, read: Date?, at now: Date) -> Bool {
        session != own && (read.map { $0 < time } ?? true)
            && now.since(time) < AlertRules.endElsewhereStays
    }

    public var session: SessionID? { SessionID(ending.sessionId) }

    /// "Your alert was ended on “Firefox on Linux”". The screen shows the time beside this title.
    public var title: String {
        let place = "on another device\(AlertWords.name(ending).map { ", \($0)" } ?? "")"
        return switch kind {
        case .manual: "Your alert was ended \(place)"
        case .missedCheckIn: "Your check-in was made \(place)"
        case .journey: "Your arrival or later return was entered \(place)"
        }
    }

    public var advice: String {
        if isSessionEnded { return "That device is signed out. Call for help if you need it." }
        return """
            If that was not you, someone else may have that device: call for help again, and sign \
            it out.
            """
    }

    /// For a device whose session has ended, too.
    public static let signedOutAdvice =
        "If that was not you, someone else may have that device: phone someone if you need help."
}

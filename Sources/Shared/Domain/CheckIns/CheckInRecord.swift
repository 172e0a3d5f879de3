import Foundation

/// A check-in that the server has recorded, and the deadline that it set.
public struct CheckInRecord: Codable, Equatable, Sendable, Identifiable {
    public var id: CheckInID
    public var occurredAt: Date
    public var receivedAt: Date
    /// The deadline after this check-in; nil under a schedule without deadlines. A repeated request
    /// with the same id gets the same deadline.
    public var nextCheckInTime: Date?
    /// When the window of the next deadline opens, if this check-in came before it and so didn't
    /// move the deadline.
    public var opensAt: Date?
    /// The name of the source that checked in; nil if the person did.
    public var source: String?

    public init(
        id: CheckInID, occurredAt: Date, receivedAt: Date, nextCheckInTime: Date?,
        opensAt: Date? = nil, source: String? = nil
    ) {
        self.id = id
        self.occurredAt = occurredAt
        self.receivedAt = receivedAt
        self.nextCheckInTime = nextCheckInTime
        self.opensAt = opensAt
        self.source = source
    }

    /// True if the device's clock seems to be behind by more than the tolerance. Valid only for a
    /// check-in that was sent at once. A check-in that waited to be sent also gives true.
    public var isFromSlowClock: Bool { receivedAt.since(occurredAt) > CheckInRules.clockSkew }
    /// True if the check-in arrived more than a minute after the press. Screens then show both
    /// times.
    public var cameLate: Bool { receivedAt.since(occurredAt).isLate }
}

import Foundation

/// A time in which the operator works on the server, announced in the apps.
public struct Maintenance: Codable, Equatable, Sendable {
    public var from: Date
    public var until: Date

    public init(from: Date, until: Date) {
        self.from = from
        self.until = until
    }
}

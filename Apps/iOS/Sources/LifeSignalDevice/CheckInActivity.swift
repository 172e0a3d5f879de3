import ActivityKit
import Foundation

/// The Live Activity: the time left, on the lock screen and in the Dynamic Island.
public struct CheckInActivity: ActivityAttributes {
    public struct ContentState: Codable, Hashable, Sendable {
        public var lastCheckIn: Date
        public var deadline: Date

        public init(lastCheckIn: Date, deadline: Date) {
            self.lastCheckIn = lastCheckIn
            self.deadline = deadline
        }
    }

    public init() {}
}

import Domain
import Foundation

/// The clock, ids, random numbers and picture workshop of the live clients. Tests replace them.
public struct ClientEnvironment: Sendable {
    public var clock: ClientClock
    public var now: @Sendable () -> Date
    /// Shows whether somebody has set the device's clock. Queued actions then keep the time of
    /// their press, and the measured offset of the server's clock stays right. Nil if the device
    /// has no such clock.
    public var uptime: @Sendable () -> Uptime? = { nil }
    public var makeID: @Sendable () -> UUID
    /// Returns a number in 0..<1.
    public var random: @Sendable () -> Double
    /// All sessions of a server share this workshop.
    public var pictures: PictureWorkshop
    /// The IANA name of this device's time zone; nil if it is not known.
    public var timeZone: @Sendable () -> String? = { nil }
    /// Runs the account's long tasks; nil for the shared threads.
    public var executor: (any TaskExecutor)?

    public init(
        clock: ClientClock, now: @escaping @Sendable () -> Date,
        makeID: @escaping @Sendable () -> UUID, random: @escaping @Sendable () -> Double,
        pictures: PictureWorkshop = PictureWorkshop()
    ) {
        self.clock = clock
        self.now = now
        self.makeID = makeID
        self.random = random
        self.pictures = pictures
    }

    public static var live: ClientEnvironment {
        var live = ClientEnvironment(
            clock: .continuous, now: { Date() }, makeID: { .random() },
            random: { .random(in: 0..<1) })
        live.uptime = { .ofThisDevice }
        live.timeZone = { ClockZone.ofThisDevice }
        return live
    }
}

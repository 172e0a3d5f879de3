import Domain
import Foundation

#if canImport(CTime)
import CTime
#endif

extension ServerClock {
    /// A clock over this machine's own.
    /// - Parameter trustsWall: takes the wall clock for right, as if the kernel said so: where
    ///   something keeps it right that the kernel does not know of.
    public static func machine(trustsWall: Bool = false) -> ServerClock {
        ServerClock(
            wall: { Date() }, monotonic: { MachineClock.sinceBoot() },
            bootID: MachineClock.bootID(),
            isSynchronised: { trustsWall || MachineClock.isSynchronised() })
    }
}

/// The machine's clocks.
public enum MachineClock {
    /// Counts while the machine sleeps; never set.
    public static func sinceBoot() -> Duration {
        var time = timespec()
        #if os(Linux)
        clock_gettime(CLOCK_BOOTTIME, &time)
        #else
        // On Apple's systems this one counts while the machine sleeps.
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The first half of the kernel's id for this start of the machine; nil where there is none.
    public static func bootID(at path: String = "/proc/sys/kernel/random/boot_id") -> Int64? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(
            in: .whitespacesAndNewlines)
        guard let id = UUID(uuidString: text) else { return nil }
        return withUnsafeBytes(of: id.uuid) { Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) }
    }

    /// True if the kernel says that the wall clock is right. Apple's systems keep it right.
    public static func isSynchronised() -> Bool {
        #if canImport(CTime)
        lifesignal_clock_is_synchronised() != 0
        #else
        true
        #endif
    }
}

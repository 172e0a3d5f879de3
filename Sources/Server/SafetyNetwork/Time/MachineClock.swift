import Domain
import Foundation

#if canImport(CTime)
import CTime
#endif

extension ServerClock {
    /// Returns a clock based on the machine's clocks.
    /// - Parameter trustsWall: true if the wall clock is right although the kernel doesn't know it.
    public static func machine(trustsWall: Bool = false) -> ServerClock {
        ServerClock(
            wall: { Date() }, monotonic: { MachineClock.sinceBoot() },
            bootID: MachineClock.bootID(),
            isSynchronised: { trustsWall || MachineClock.isSynchronised() })
    }
}

public enum MachineClock {
    /// Returns the time since boot, including sleep. Setting the wall clock doesn't change it.
    public static func sinceBoot() -> Duration { Uptime.sinceStartOfThisDevice }

    /// Returns the first half of the kernel's id of this boot; nil if unknown.
    public static func bootID(at path: String = "/proc/sys/kernel/random/boot_id") -> Int64? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(
            in: .whitespacesAndNewlines)
        guard let id = UUID(uuidString: text) else { return nil }
        return withUnsafeBytes(of: id.uuid) { Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) }
    }

    /// Returns true if the kernel says that the wall clock is right. Apple's systems keep their
    /// clock right, so it is always true there.
    public static func isSynchronised() -> Bool {
        #if canImport(CTime)
        lifesignal_clock_is_synchronised() != 0
        #else
        true
        #endif
    }
}

import Foundation

/// Reads the uptime for callers outside this module.
extension Uptime {
    public static var ofThisDevice: Uptime {
        Uptime(start: startOfThisDevice, time: sinceStartOfThisDevice)
    }

    /// The time since this device's start, including sleep. Setting the wall clock doesn't change
    /// it.
    public static var sinceStartOfThisDevice: Duration {
        var time = timespec()
        #if os(Linux)
        clock_gettime(CLOCK_BOOTTIME, &time)
        #else
        // On Apple's systems, this clock also counts while the device sleeps.
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// If the system doesn't tell its start, times are compared only within this process.
    private static let startOfThisDevice = systemStart ?? UUID.random().uuidString

    #if os(Linux)
    private static var systemStart: String? {
        FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
            .map { String(decoding: $0, as: UTF8.self) }?
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
    #else
    private static var systemStart: String? {
        var text = [CChar](repeating: 0, count: 64)
        var size = text.count
        guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }
    #endif
}

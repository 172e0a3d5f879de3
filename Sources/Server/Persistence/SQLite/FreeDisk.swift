import Foundation

public enum FreeDisk {
    /// Returns the free bytes of a file system. Some report a negative number of free blocks, which
    /// counts as none, or more bytes than fit.
    public static func bytes(_ disk: statvfs) -> Int64 {
        let blocks = max(0, Int64(truncatingIfNeeded: disk.f_bavail))
        let (bytes, isHuge) = blocks.multipliedReportingOverflow(by: Int64(disk.f_frsize))
        return isHuge ? .max : bytes
    }
}

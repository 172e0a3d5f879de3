import Foundation
import Testing

@testable import Persistence

@Suite struct FreeDiskTests {
    private func bytes(blocks: Int64) -> Int64 {
        var disk = statvfs()
        disk.f_bavail = numericCast(UInt64(bitPattern: blocks))
        disk.f_frsize = 4096
        return FreeDisk.bytes(disk)
    }

    /// Network file systems report odd numbers. They must not end the server.
    @Test func oddNumbersAreTaken() {
        #expect(bytes(blocks: 3) == 12_288)
        #expect(bytes(blocks: 0) == 0)
        #expect(bytes(blocks: -1) == 0)
        #expect(bytes(blocks: .max) == .max)
    }
}

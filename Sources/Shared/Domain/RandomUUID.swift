import Foundation

extension UUID {
    /// Returns a new id, version 4 of RFC 9562.
    ///
    /// Foundation's `UUID()` opens `/dev/urandom` for each id on Linux and ignores a failure. All
    /// ids are then the same if the process has no free file descriptor. Swift's generator calls
    /// `getrandom`, which needs no descriptor.
    public static func random() -> UUID {
        var generator = SystemRandomNumberGenerator()
        return random(from: &generator)
    }

    /// Returns a new id from 128 random bits. Version and variant replace six of the bits.
    public static func random(from generator: inout some RandomNumberGenerator) -> UUID {
        let high = generator.next() & ~0xF000 | 0x4000
        let low = generator.next() & ~(0b11 << 62) | 0b10 << 62
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }

    /// Returns this random id with the time in its first 48 bits: version 7 of RFC 9562.
    public func beginning(with time: Date) -> UUID {
        let milliseconds = UInt64(max(0, time.milliseconds))
        var bytes = uuid
        withUnsafeMutableBytes(of: &bytes) { bytes in
            for index in 0..<6 {
                bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * index))
            }
            bytes[6] = bytes[6] & 0x0F | 0x70
        }
        return UUID(uuid: bytes)
    }
}

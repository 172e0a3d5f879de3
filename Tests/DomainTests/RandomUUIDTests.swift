import Domain
import Foundation
import Testing

@Suite struct RandomUUIDTests {
    private struct Constant: RandomNumberGenerator {
        var value: UInt64
        mutating func next() -> UInt64 { value }
    }

    @Test(arguments: [
        (UInt64.min, "00000000-0000-4000-8000-000000000000"),
        (UInt64.max, "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF"),
        (0x0123_4567_89AB_CDEF, "01234567-89AB-4DEF-8123-456789ABCDEF"),
    ])
    func versionAndVariantAreSet(bits: UInt64, text: String) {
        var generator = Constant(value: bits)
        #expect(UUID.random(from: &generator).uuidString == text)
    }

    @Test func allOtherBitsVary() {
        var (ones, zeros) = ([UInt8](repeating: 0, count: 16), [UInt8](repeating: 0xFF, count: 16))
        for _ in 0..<1_000 {
            withUnsafeBytes(of: UUID.random().uuid) { bytes in
                for (index, byte) in bytes.enumerated() {
                    ones[index] |= byte
                    zeros[index] &= byte
                }
            }
        }
        let varying = zip(ones, zeros).map { $0 ^ $1 }
        #expect(
            varying == [
                0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0xFF, 0x3F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                0xFF, 0xFF,
            ])
    }

    /// The example of RFC 9562, A.6.
    @Test(arguments: [
        (Int64(1_645_557_742_000), "017F22E2-79B0-7CC3-98C4-DC0C0C07398F"),
        (0, "00000000-0000-7CC3-98C4-DC0C0C07398F"), (-1, "00000000-0000-7CC3-98C4-DC0C0C07398F"),
    ])
    func idBeginsWithTime(milliseconds: Int64, text: String) throws {
        let random = try #require(UUID(uuidString: "FFFFFFFF-FFFF-4CC3-98C4-DC0C0C07398F"))
        let id = random.beginning(with: Date(milliseconds: milliseconds))
        #expect(id.uuidString == text)
    }

    @Test func randomIDsAreUnique() {
        #expect(Set((0..<10_000).map { _ in UUID.random() }).count == 10_000)
    }
}

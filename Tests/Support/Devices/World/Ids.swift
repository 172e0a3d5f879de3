import Cryptography
import Foundation
import SeededGenerator
import Simulation
import Synchronization

/// Ids, secrets and random numbers, all from one seed.
final class Ids: Sendable {
    private let chance: Mutex<SeededGenerator>

    init(seed: UInt64) { chance = Mutex(SeededGenerator(seed: seed)) }

    func uuid() -> UUID {
        var bytes = draw(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    func fraction() -> Double { chance.withLock { Double.random(in: 0..<1, using: &$0) } }

    private func draw(_ count: Int) -> [UInt8] {
        chance.withLock { chance in
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) }
        }
    }

    var random: RandomBytes { RandomBytes { [self] in Data(draw($0)) } }
}

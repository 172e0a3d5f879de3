import Domain
import Foundation

/// A sign of life outside of the transactions: extends the stored `ClockMemory` to a later time.
/// An idle server writes it instead of a transaction, which would flush the log.
public struct LifeNote: Equatable, Sendable {
    /// The time in the memory that the note extends. Ties the note to the database: one that was
    /// replaced by an older copy has another memory.
    public var follows: Date
    public var time: Date
    /// The time since the machine's boot.
    public var boot: Duration

    /// Returns nil if the new memory differs in more than its time, or if the boot is unknown.
    public init?(from stored: ClockMemory, to new: ClockMemory) {
        guard stored.bootID != nil, stored.bootID == new.bootID, stored.trust == .full,
            new.trust == .full, stored.since == new.since
        else { return nil }
        self.init(follows: stored.time, time: new.time, boot: new.boot)
    }

    init(follows: Date, time: Date, boot: Duration) {
        (self.follows, self.time, self.boot) = (follows, time, boot)
    }

    /// Returns the memory at the time of the note; nil if the note extends another memory.
    public func extending(_ stored: ClockMemory) -> ClockMemory? {
        guard stored.bootID != nil, stored.trust == .full,
            stored.time.milliseconds == follows.milliseconds,
            stored.time <= time, stored.boot <= boot
        else { return nil }
        var memory = stored
        (memory.time, memory.boot) = (time, boot)
        return memory
    }
}

extension LifeNote {
    /// The length of every note in bytes. It lies within one sector of the disk.
    static let length = 128
    private static let version: Int64 = 1

    private static func checksum(of numbers: [Int64]) -> Int64 {
        numbers.reduce(version) { $0 &* 31 &+ $1 }
    }

    var bytes: [UInt8] {
        let numbers = [follows.milliseconds, time.milliseconds, boot.milliseconds]
        let all = [Self.version] + numbers + [Self.checksum(of: numbers)]
        var bytes = Array(all.map { "\($0)" }.joined(separator: " ").utf8)
        let space = UInt8(ascii: " ")
        bytes += Array(repeating: space, count: Self.length - 1 - bytes.count)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// Returns nil if the bytes aren't a note.
    init?(_ bytes: [UInt8]) {
        let numbers = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            .map { Int64($0) }
        guard bytes.count == Self.length, numbers.count == 5, numbers[0] == Self.version,
            let follows = numbers[1], let time = numbers[2], let boot = numbers[3],
            numbers[4] == Self.checksum(of: [follows, time, boot])
        else { return nil }
        self.init(
            follows: Date(milliseconds: follows), time: Date(milliseconds: time),
            boot: .milliseconds(boot))
    }
}

extension LifeNote {
    /// The modification time of the file with a note. It extends the note to a later time.
    struct FileTime: Equatable {
        var seconds: Int
        var nanoseconds: Int
    }

    /// The largest difference between a note's boot and the one that its file time gives.
    private static let tolerance: Duration = .milliseconds(10)

    /// Returns the file time that extends `written` to this note. Returns nil if none does: the
    /// note follows another memory, or the time ran unlike the time since boot.
    func fileTime(after written: LifeNote) -> FileTime? {
        let time = Self.fileTime(of: self.time.milliseconds, after: written)
        guard let extended = written.extended(by: time),
            extended.follows == follows, extended.time.milliseconds == self.time.milliseconds,
            extended.boot <= boot + Self.tolerance,
            boot <= extended.boot + Self.tolerance
        else { return nil }
        return time
    }

    /// Returns this note at the file's time. Returns nil for a time that `fileTime(after:)` didn't
    /// make, such as that of a copied or touched file: the last six digits are a checksum.
    func extended(by fileTime: FileTime) -> LifeNote? {
        let (milliseconds, overflows) = fileTime.seconds.multipliedReportingOverflow(by: 1000)
        let time = Int64(milliseconds) &+ Int64(fileTime.nanoseconds / 1_000_000)
        guard !overflows, time >= self.time.milliseconds,
            Self.fileTime(of: time, after: self) == fileTime
        else { return nil }
        let passed = Duration.milliseconds(time &- self.time.milliseconds)
        return LifeNote(
            follows: follows, time: Date(milliseconds: time), boot: boot + passed)
    }

    private static func fileTime(of milliseconds: Int64, after written: LifeNote) -> FileTime {
        let checksum = checksum(of: [
            written.follows.milliseconds, written.time.milliseconds, written.boot.milliseconds,
            milliseconds,
        ])
        return FileTime(
            seconds: Int(milliseconds / 1000),
            nanoseconds: Int(milliseconds % 1000 * 1_000_000)
                + Int(UInt64(bitPattern: checksum) % 1_000_000))
    }
}

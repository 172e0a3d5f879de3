import Foundation

/// A text with moments in it: each reader sees them in their own time zone. Write one as a string
/// with `\(clock: date)`.
public struct TimedText: Equatable, Sendable {
    fileprivate enum Part: Equatable, Sendable {
        case words(String)
        case clock(Date)
    }

    private var parts: [Part]

    public init(_ text: String) { parts = [.words(text)] }

    /// - Parameter zone: the reader's; nil for UTC.
    public func text(in zone: ClockZone?) -> String {
        parts.map { part in
            switch part {
            case .words(let words): words
            case .clock(let date): Timestamp.clockTime(date, in: zone)
            }
        }.joined()
    }

    public static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.parts += right.parts
        return sum
    }
}

extension TimedText: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self.init(text) }

    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ text: String) { parts.append(.words(text)) }

        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            parts.append(.words(value.description))
        }

        public mutating func appendInterpolation(_ text: TimedText) { parts += text.parts }

        public mutating func appendInterpolation(clock date: Date) { parts.append(.clock(date)) }
    }
}

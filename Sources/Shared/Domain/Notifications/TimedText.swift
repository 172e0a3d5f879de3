import Foundation

/// A text with times, which each reader gets in their own time zone. A string literal writes a time
/// as `\(clock: date)`.
public struct TimedText: Equatable, Sendable {
    fileprivate enum Part: Equatable, Sendable {
        case words(String)
        case clock(Date)
    }

    private var parts: [Part]

    public init(_ text: String) { parts = [.words(text)] }

    /// - Parameters:
    ///   - zone: the reader's time zone; nil for UTC.
    ///   - now: when the text is written. A time on another day names the day.
    public func text(in zone: ClockZone?, at now: Date) -> String {
        parts.map { part in
            switch part {
            case .words(let words): words
            case .clock(let date): Timestamp.clockTime(date, in: zone, at: now)
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

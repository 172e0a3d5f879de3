import Foundation

/// A text that contains times. Each reader gets them in their own time zone. In a string literal, a
/// time is written as `\(clock: date)`.
public struct TimedText: Equatable, Sendable {
    fileprivate enum Part: Equatable, Sendable {
        case words(String)
        case clock(Date)
    }

    private var parts: [Part]

    public init(_ text: String) { parts = [.words(text)] }

    /// - Parameters:
    ///   - zone: the reader's time zone; nil for UTC.
    ///   - now: the time of writing. A time on another day is written with its day.
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

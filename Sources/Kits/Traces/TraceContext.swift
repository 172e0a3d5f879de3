import Tracing

/// A span's place in its trace.
public struct TraceContext: Sendable, Equatable {
    public struct TraceID: Sendable, Equatable {
        var high: UInt64
        var low: UInt64

        /// 32 hexadecimal digits.
        var text: String { TraceContext.digits(high) + TraceContext.digits(low) }
    }

    var trace: TraceID
    var span: UInt64
    public var isSampled: Bool

    init(trace: TraceID, span: UInt64, isSampled: Bool) {
        (self.trace, self.span, self.isSampled) = (trace, span, isSampled)
    }

    /// Parses the header `traceparent` (W3C Trace Context, section 3.2). Returns nil for any other
    /// text.
    public init?(traceparent text: String) {
        let (bytes, dash) = (Array(text.utf8), UInt8(ascii: "-"))
        guard bytes.count >= 55, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = Self.number(bytes[0..<2]), version != 0xFF,
            // Later versions may append fields.
            bytes.count == 55 || version > 0 && bytes[55] == dash,
            let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
            let span = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55]),
            high | low != 0, span != 0
        else { return nil }
        self.init(trace: TraceID(high: high, low: low), span: span, isSampled: flags & 1 == 1)
    }

    /// Reads hexadecimal digits, which must be lower-case.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    /// Returns 16 hexadecimal digits.
    static func digits(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

private enum TraceContextKey: ServiceContextKey {
    typealias Value = TraceContext
}

extension ServiceContext {
    public internal(set) var trace: TraceContext? {
        get { self[TraceContextKey.self] }
        set { self[TraceContextKey.self] = newValue }
    }
}

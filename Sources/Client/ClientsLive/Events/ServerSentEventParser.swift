import Foundation

/// One event of a stream, as the HTML standard defines it.
public struct ServerSentEvent: Equatable, Sendable {
    /// The last id in the stream so far. It may come from an earlier event.
    public var id: String
    /// The event's name; `message` if the event has none.
    public var name: String
    public var data: String

    public init(id: String = "", name: String = "message", data: String) {
        self.id = id
        self.name = name
        self.data = data
    }
}

/// Assembles events from bytes that are split anywhere (HTML standard, "Interpreting an event
/// stream").
public struct ServerSentEventParser: Sendable {
    /// A line or an event exceeds the limit.
    public struct TooLarge: Error, Equatable {}

    private let limit: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var name = ""
    private var lastID = ""
    private var isAfterCR = false
    private var isAtStart = true

    /// - Parameter limit: the maximum size of an event, in bytes.
    public init(limit: Int = 1_000_000) { self.limit = limit }

    /// Returns the events that these bytes complete. After `TooLarge` the parser is unusable.
    public mutating func read(_ bytes: some Sequence<UInt8>) throws(TooLarge) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            defer { isAfterCR = byte == UInt8(ascii: "\r") }
            switch byte {
            case UInt8(ascii: "\n") where isAfterCR: break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if let event = endLine() { events.append(event) }
            default:
                line.append(byte)
                guard line.count + data.count <= limit else { throw TooLarge() }
            }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        var line = line[...]
        if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        isAtStart = false
        defer { self.line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "id" where !value.contains(0): lastID = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        // Ignores comments, whose field name is empty, and unknown fields.
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            data.removeAll(keepingCapacity: true)
            (hasData, name) = (false, "")
        }
        guard hasData else { return nil }
        return ServerSentEvent(
            id: lastID, name: name.isEmpty ? "message" : name,
            data: String(decoding: data, as: UTF8.self))
    }
}

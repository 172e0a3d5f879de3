import Foundation
import Testing

@testable import ClientsLive

/// The parser follows the HTML standard's rules for event streams. Bytes may be split anywhere.
@Suite struct ServerSentEventParserTests {
    private typealias Event = ServerSentEvent

    static let cases: [(name: String, text: String, events: [ServerSentEvent])] = [
        ("one event", "data: a\n\n", [.init(data: "a")]),
        ("CR", "data: a\r\rdata: b\r\r", [.init(data: "a"), .init(data: "b")]),
        ("CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", [.init(data: "a"), .init(data: "b")]),
        ("all mixed", "data: a\r\ndata: b\rdata: c\n\r\n", [.init(data: "a\nb\nc")]),
        (
            "the standard's stock example", "data: YHOO\ndata: +2\ndata: 10\n\n",
            [.init(data: "YHOO\n+2\n10")]
        ),
        (
            "name and id", "id: 7\nevent: alert\ndata: {}\n\n",
            [.init(id: "7", name: "alert", data: "{}")]
        ),
        (
            "an id stays until there is another", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
            [.init(id: "1", data: "a"), .init(id: "1", data: "b"), .init(id: "", data: "c")]
        ),
        (
            "a name does not stay", "event: x\ndata: a\n\ndata: b\n\n",
            [.init(name: "x", data: "a"), .init(data: "b")]
        ),
        ("comments", ": hello\n:\n\ndata: a\n:x\n\n", [.init(data: "a")]),
        (
            "only one space is taken", "data:  a\n\ndata:b\n\n",
            [.init(data: " a"), .init(data: "b")]
        ),
        ("empty data", "data\n\ndata\ndata\n\n", [.init(data: ""), .init(data: "\n")]),
        ("no data, no event", "event: x\nid: 3\n\ndata: a\n\n", [.init(id: "3", data: "a")]),
        ("unknown fields", "data: a\nretry: 10\nfoo: bar\nDATA: b\n\n", [.init(data: "a")]),
        ("an id with a zero is ignored", "id: 1\0\ndata: a\n\n", [.init(data: "a")]),
        ("a colon in the value", "data: a: b\n\n", [.init(data: "a: b")]),
        ("what is not ended is not there", "data: a\n", []),
        ("byte order mark", "\u{FEFF}data: a\n\n", [.init(data: "a")]),
        ("only the first", "data: a\n\n\u{FEFF}data: b\n\n", [.init(data: "a")]),
        ("letters of several bytes", "data: Zoë 🧭\n\n", [.init(data: "Zoë 🧭")]),
    ]

    @Test(arguments: cases) func parses(name: String, text: String, events: [ServerSentEvent])
        throws
    {
        var whole = ServerSentEventParser()
        #expect(try whole.read(Array(text.utf8)) == events, "\(name)")
        var byByte = ServerSentEventParser()
        #expect(try text.utf8.flatMap { try byByte.read([$0]) } == events, "\(name), byte by byte")
        for cut in 0...text.utf8.count {
            var halves = ServerSentEventParser()
            let bytes = Array(text.utf8)
            #expect(
                try halves.read(bytes[..<cut]) + halves.read(bytes[cut...]) == events,
                "\(name), cut at \(cut)")
        }
    }

    @Test func endlessLineIsTooLarge() {
        var parser = ServerSentEventParser(limit: 10)
        #expect(throws: ServerSentEventParser.TooLarge.self) {
            try parser.read(Array("data: 56789".utf8))
        }
        var many = ServerSentEventParser(limit: 30)
        #expect(throws: ServerSentEventParser.TooLarge.self) {
            for _ in 0..<10 { _ = try many.read(Array("data: 1234\n".utf8)) }
        }
    }

    @Test func limitAppliesToEachEvent() throws {
        var parser = ServerSentEventParser(limit: 20)
        for _ in 0..<100 { #expect(try parser.read(Array("data: 1234\n\n".utf8)).count == 1) }
    }
}

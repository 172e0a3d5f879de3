import Testing
import Tracing

@testable import Traces

@Suite struct TraceContextTests {
    private let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private let span = "00f067aa0ba902b7"

    @Test(arguments: [("01", true), ("00", false), ("03", true), ("02", false)])
    func headerIsRead(flags: String, isSampled: Bool) throws {
        let context = try #require(TraceContext(traceparent: "00-\(trace)-\(span)-\(flags)"))
        #expect(context.trace.text == trace)
        #expect(TraceContext.digits(context.span) == span)
        #expect(context.isSampled == isSampled)
    }

    @Test func laterVersionMayAppendFields() {
        #expect(TraceContext(traceparent: "01-\(trace)-\(span)-01") != nil)
        #expect(TraceContext(traceparent: "01-\(trace)-\(span)-01-more") != nil)
        #expect(TraceContext(traceparent: "01-\(trace)-\(span)-01more") == nil)
        #expect(TraceContext(traceparent: "00-\(trace)-\(span)-01-more") == nil)
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0é",
    ])
    func malformedHeaderIsIgnored(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test(
        arguments: [
            (0, "0000000000000000"), (255, "00000000000000ff"), (UInt64.max, "ffffffffffffffff"),
        ] as [(UInt64, String)])
    func idHasSixteenDigits(number: UInt64, text: String) {
        #expect(TraceContext.digits(number) == text)
    }
}

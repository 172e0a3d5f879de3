import API
import Domain
import Foundation
import Testing

@Suite struct TimeOnTheWireTests {
    @Test(arguments: [0, 1, 7, 999, 1_000, 59_999, 86_399_999, 31_536_000_001] as [Int64])
    func everyMillisecondSurvivesTheWire(offset: Int64) throws {
        let sent = CheckInRequest(occurredAt: Date(milliseconds: noon.milliseconds + offset))
        let read = try StrictJSON.decode(
            CheckInRequest.self, from: try WireJSON.encoder().encode(sent))
        #expect(read.occurredAt.milliseconds == sent.occurredAt.milliseconds)
        #expect(read == sent)
    }

    @Test func thousandConsecutiveMomentsRoundTrip() throws {
        for millisecond in 0..<1_000 as Range<Int64> {
            let sent = CheckInRequest(
                occurredAt: Date(milliseconds: 1_772_366_400_000 + millisecond))
            #expect(
                try StrictJSON.decode(
                    CheckInRequest.self, from: try WireJSON.encoder().encode(sent)) == sent)
        }
    }

    @Test func aMomentIsWrittenInUTCWithMilliseconds() throws {
        let text = String(
            decoding: try WireJSON.encoder().encode(CheckInRequest(occurredAt: noon)), as: UTF8.self
        )
        #expect(text == #"{"occurredAt":"2026-03-01T12:00:00.007Z"}"#)
    }

    @Test(arguments: [
        "2026-03-01T13:00:00.007+01:00", "2026-03-01T12:00:00.0070000Z", "2026-03-01t12:00:00.007z",
    ])
    func anyOffsetIsRead(text: String) throws {
        let read = try StrictJSON.decode(
            CheckInRequest.self, from: Data(#"{"occurredAt":"\#(text)"}"#.utf8))
        #expect(read.occurredAt == noon)
    }
}

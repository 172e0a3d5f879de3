import Domain
import Foundation
import Testing

/// Times are shown for a person in another time zone.
@Suite struct TheirTimeTests {
    /// 2026-11-21 12:00 UTC.
    private let noon = Date(timeIntervalSince1970: 1_795_262_400)

    private func words(_ theirs: String?, readIn own: String?) -> String? {
        let watch = ContactData.WatchedState(
            emergencyNote: "", lastCheckInTime: nil, nextCheckInTime: nil,
            checkInIntervalSeconds: 86_400, status: .active, timeZone: theirs)
        return watch.theirTime(noon, readIn: own.flatMap { ClockZone($0) }, at: noon)
    }

    @Test func anotherClockIsShown() {
        #expect(words("Asia/Tokyo", readIn: "Europe/Berlin")?.hasPrefix("21:00 ") == true)
        #expect(words("Asia/Tokyo", readIn: "Europe/Berlin")?.hasSuffix(" for them") == true)
    }

    @Test func sameClockIsNotShown() {
        #expect(words("Europe/Vienna", readIn: "Europe/Berlin") == nil)
        #expect(words(nil, readIn: "Europe/Berlin") == nil)
        #expect(words("Asia/Tokyo", readIn: nil) == nil)
        #expect(words("No/Where", readIn: "Europe/Berlin") == nil)
    }
}

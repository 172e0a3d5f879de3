import Domain
import Foundation
import Testing

/// Times are shown for a person in another time zone.
@Suite struct TheirTimeTests {
    /// 2026-11-21 12:00 UTC.
    private let noon = Date(timeIntervalSince1970: 1_795_262_400)

    private func words(_ theirs: String?, readIn own: String) throws -> String? {
        let watch = ContactData.WatchedState(
            emergencyNote: "", lastCheckInTime: nil, nextCheckInTime: nil,
            checkInIntervalSeconds: 86_400, status: .active, timeZone: theirs)
        let zone = try #require(TimeZone(identifier: own))
        return watch.theirTime(noon, readIn: zone, at: noon)
    }

    /// A server's terminal often has UTC.
    @Test(arguments: ["Europe/Berlin", "UTC", "GMT"])
    func anotherClockIsShown(zone: String) throws {
        let shown = try #require(try words("Asia/Tokyo", readIn: zone))
        #expect(shown.hasPrefix("21:00 ") && shown.hasSuffix(" for them"))
    }

    @Test func sameClockIsNotShown() throws {
        #expect(try words("Europe/Vienna", readIn: "Europe/Berlin") == nil)
        #expect(try words("Atlantic/Reykjavik", readIn: "UTC") == nil)
        #expect(try words(nil, readIn: "Europe/Berlin") == nil)
        #expect(try words("No/Where", readIn: "Europe/Berlin") == nil)
    }
}

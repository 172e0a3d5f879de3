import Foundation
import Testing

@testable import Domain

/// Every type can be muted but alerts.
@Suite struct PreferencesTests {
    private func read(_ json: String) throws -> NotificationPreferences {
        try WireJSON.decoder().decode(NotificationPreferences.self, from: Data(json.utf8))
    }

    @Test(arguments: NotificationType.allCases.filter { $0 != .alert })
    func aTypeThatIsMutedIsNotTold(type: NotificationType) throws {
        let preferences = try NotificationPreferences(muted: [type])
        #expect(!preferences.allows(type))
        for other in NotificationType.allCases where other != type {
            #expect(preferences.allows(other))
        }
    }

    @Test func alertsCannotBeMuted() {
        #expect(refusal { try NotificationPreferences(muted: [.alert]) }?.field == "muted")
        #expect(
            refusal { try NotificationPreferences(muted: Set(NotificationType.allCases)) }?.field
                == "muted")
        #expect(refusal { try read(#"{"muted":["ping","alert"]}"#) }?.field == "muted")
    }

    @Test(arguments: NotificationType.allCases)
    func nothingIsMutedToBeginWith(type: NotificationType) {
        #expect(NotificationPreferences.standard.allows(type))
    }

    @Test func theyComeBackFromTheWireInAStableOrder() throws {
        let all = Set(NotificationType.allCases).subtracting([.alert])
        let preferences = try NotificationPreferences(muted: all)
        let json = String(decoding: try WireJSON.encoder().encode(preferences), as: UTF8.self)
        #expect(
            json
                == #"{"muted":["checkIn","contactAdded","contactRemoved","#
                + #""ping","roleChanged","system"]}"#
        )
        #expect(try read(json) == preferences)
        #expect(try read(#"{"muted":[]}"#) == .standard)
        #expect(refusal { try read(#"{"muted":["ping","ping"]}"#) }?.field == "muted")
    }

    @Test(arguments: ["{}", #"{"muted":null}"#, #"{"muted":"ping"}"#, #"{"muted":["everything"]}"#])
    func otherJSONIsRefused(json: String) {
        #expect(throws: DecodingError.self) { try read(json) }
    }
}

/// Kept 30 days, read ones 7.
@Suite struct RetentionTests {
    private let month = noon.adding(.days(30))

    @Test func anUnreadNotificationIsKeptThirtyDays() {
        #expect(
            !NotificationRules.isExpired(createdAt: noon, readAt: nil, at: month.aMillisecondBefore)
        )
        #expect(NotificationRules.isExpired(createdAt: noon, readAt: nil, at: month))
    }

    @Test(arguments: [Duration.zero, .hours(5), .days(20)])
    func aReadOneIsKeptSevenDaysMore(readAfter: Duration) {
        let read = noon.adding(readAfter)
        let end = read.adding(.days(7))
        #expect(
            !NotificationRules.isExpired(createdAt: noon, readAt: read, at: end.aMillisecondBefore))
        #expect(NotificationRules.isExpired(createdAt: noon, readAt: read, at: end))
    }

    @Test func readingLateDoesNotKeepItLonger() {
        let read = noon.adding(.days(29))
        #expect(
            !NotificationRules.isExpired(
                createdAt: noon, readAt: read, at: month.aMillisecondBefore))
        #expect(NotificationRules.isExpired(createdAt: noon, readAt: read, at: month))
    }

    @Test func anEventCanBeResumedFromForSevenDays() {
        #expect(EventRules.kept == .days(7))
    }
}

import Foundation
import Testing

@testable import Domain

@Suite struct PreferencesTests {
    private func read(_ json: String) throws -> NotificationPreferences {
        try WireJSON.decoder().decode(NotificationPreferences.self, from: Data(json.utf8))
    }

    @Test(arguments: NotificationType.allCases.filter { $0 != .alert })
    func mutedTypeIsNotAllowed(type: NotificationType) throws {
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

    @Test func aChoiceForOneTypeKeepsTheOthers() throws {
        let present = try NotificationPreferences(muted: [.system, .checkIn])
        let muted = try NotificationPreferences(muted: [.ping])
        #expect(
            muted.merged(only: .ping, into: present)
                == (try NotificationPreferences(muted: [.system, .checkIn, .ping])))
        #expect(
            muted.merged(only: .system, into: present)
                == (try NotificationPreferences(muted: [.checkIn])))
        #expect(muted.merged(only: nil, into: present) == muted)
    }

    @Test(arguments: NotificationType.allCases)
    func nothingIsMutedByDefault(type: NotificationType) {
        #expect(NotificationPreferences.standard.allows(type))
    }

    @Test func preferencesEncodeInAStableOrder() throws {
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

import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite struct AlertCallTests {
    private func contact(_ id: UInt8, _ name: String, _ number: String?, isResponder: Bool = true)
        throws -> ContactData
    {
        ContactData(
            id: Sample.id(id), name: name, phoneNumber: try number.map { try PhoneNumber($0) },
            profilePictureURL: nil,
            roles: .shown(isResponder: isResponder, isDependent: !isResponder),
            dateAdded: Sample.now, hasPendingPing: false, pingedAt: nil, watch: nil)
    }

    private func calls(_ markup: String) -> [String] {
        markup.matches(of: #/aria-label="Call ([^"]*)"/#).map { String($0.1) }
    }

    private func home(answeredBy helper: UInt8? = nil) throws -> HomeFeature.State {
        var alert = Sample.alert()
        alert.acknowledgement = helper.map {
            .init(
                responderId: "\(Sample.id($0) as UserID)", name: "Ben", time: Sample.now,
                afterSeconds: 1)
        }
        var state = HomeFeature.State(
            alert: .init(
                isAlertActive: true, alertStartTime: Sample.now, alertHistory: [alert]))
        state.alert.alertID = AlertID(alert.id)
        state.cards.contacts = [
            try contact(2, "Ben", "+15550102"), try contact(3, "Cleo", "+15550103"),
            try contact(4, "Dana", nil), try contact(5, "Eva", "+15550105", isResponder: false),
        ]
        return state
    }

    @Test func alertOffersCallsToAcceptedResponders() throws {
        var state = try home()
        let page = screen { HomeFeature.view(state) }
        #expect(page.shows("Call a responder"))
        #expect(calls(page.markup) == ["Ben, +15550102", "Cleo, +15550103"])
        state.cards.contacts = []
        #expect(!screen { HomeFeature.view(state) }.shows("Call a responder"))
    }

    @Test func textMessageIsOfferedUntilAlertIsSent() throws {
        var state = try home()
        #expect(!screen { HomeFeature.view(state) }.markup.contains("sms:"))
        state.alert.isSendingStart = true
        let markup = screen { HomeFeature.view(state) }.markup
        #expect(markup.matches(of: #/href="sms:\+1555010[23]\?&amp;body=I%20need/#).count == 2)
    }

    @Test func everyPageOffersCallToHelper() throws {
        let (answered, byStranger) = (try home(answeredBy: 2), try home(answeredBy: 9))
        let page = screen { HomeFeature.view(answered) }
        #expect(calls(page.markup) == ["Ben, +15550102", "Ben, +15550102", "Cleo, +15550103"])
        // The page omits the number of a helper who has been removed from the contacts.
        #expect(calls(screen { HomeFeature.view(byStranger) }.markup).count == 2)
        var main = MainTabFeature.State(userID: Sample.id(1), selectedTab: .profile)
        main.home = answered
        let other = screen { MainTabFeature.view(main, messages: .empty) { $0 } }
        #expect(other.shows("Your alert is on"))
        #expect(calls(other.markup) == ["Ben, +15550102"])
    }

    @Test func responderCardHasCallButton() throws {
        let contacts = [try contact(2, "Ben", "+15550102"), try contact(4, "Dana", nil)]
        let page = screen {
            RespondersFeature.view(
                .init(contacts: .init(contacts: .init(uniqueElements: contacts))))
        }
        #expect(calls(page.markup) == ["Ben, +15550102"])
    }
}

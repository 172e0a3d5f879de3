import Clients
import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("Messages to this browser, on a page")
struct PushViewTests {
    private let id: PushEndpointID = Sample.id(5)

    private func card(_ card: PushFeature.Card?, isBusy: Bool = false) -> Screen<
        PushFeature.Action
    > {
        screen { PushFeature.card(card, .init(isBusy: isBusy)) }
    }

    private func section(
        _ status: PushStatus?, _ endpoint: PushEndpoint? = nil, test: PushFeature.Test? = nil
    ) -> Screen<PushFeature.Action> {
        screen { PushFeature.settings(.init(status: status, test: test), endpoint: endpoint) }
    }

    private func endpoint(_ kind: PushEndpoint.Kind = .webPush, failure: String? = nil) throws
        -> PushEndpoint
    {
        PushEndpoint(
            id: id, kind: kind, url: try #require(URL(string: "https://push.example.org/secret")),
            createdAt: Sample.now, failingSince: failure.map { _ in Sample.now },
            lastFailure: failure)
    }

    @Test func pushQuestionGivesReasonAndCanBePostponed() throws {
        let page = card(.question)
        #expect(page.shows("so that a call for help reaches you here with no page open"))
        #expect(page.shows("and so that you are reminded of your own check-in."))
        #expect(try page.press("Turn on notifications") == .turnOnButtonTapped)
        #expect(try page.press("Not now") == .notNowButtonTapped)
        #expect(page.markup.contains("data-push=\"on\""))
        #expect(card(nil).buttons.isEmpty)
    }

    @Test func busyPushCardIgnoresSecondPress() throws {
        let page = card(.question, isBusy: true)
        #expect(try !page.canPress("Turning on …") && !page.markup.contains("data-push=\"on\""))
    }

    @Test func deniedPermissionSaysHowToAllow() throws {
        let page = card(.denied)
        #expect(page.shows("press the symbol beside the address") && page.buttons == ["OK"])
    }

    @Test func settingsShowPushStatus() throws {
        #expect(section(nil).shows("Asking the browser …"))
        #expect(section(PushStatus(.unsupported)).shows("Not available"))
        #expect(section(PushStatus(.needsInstallation)).shows("Add to Home Screen"))
        #expect(section(PushStatus(.denied)).shows("Blocked"))
        for status in [PushStatus(.unsupported), PushStatus(.denied)] {
            #expect(section(status).buttons.isEmpty)
        }
        let off = section(PushStatus(.undecided))
        #expect(try off.press("Turn on notifications") == .turnOnButtonTapped)
        #expect(section(PushStatus(.granted, hasFailed: true)).shows("can’t be reached"))
    }

    @Test func activePushCanBeTestedAndTurnedOff() throws {
        let page = section(PushStatus(.granted, endpoint: id), try endpoint(failure: "timeout"))
        #expect(try page.press("Send a test") == .testButtonTapped)
        #expect(try page.press("Turn off") == .turnOffButtonTapped)
        #expect(page.shows("It did not answer in time.") && !page.markup.contains("secret"))
        let sent = section(PushStatus(.granted, endpoint: id), test: .sent)
        #expect(sent.shows("The test is sent."))
    }

    @Test func otherDevicesShowSessionName() throws {
        let session = Session(
            id: SessionID(id.uuid), deviceName: "Firefox on Linux", createdAt: Sample.now,
            lastUsedAt: Sample.now, isCurrent: false)
        let list = [try endpoint(failure: "http-503")]
        let page = screen {
            PushEndpointsFeature.view(.init(endpoints: list), sessions: [session], own: nil)
        }
        #expect(page.shows("Firefox on Linux") && page.shows("It reported an error (503)."))
        #expect(
            try page.press("Remove Firefox on Linux")
                == .removeButtonTapped(id, name: "Firefox on Linux"))
        let own = screen {
            PushEndpointsFeature.view(.init(endpoints: list), sessions: [session], own: id)
        }
        #expect(own.buttons.isEmpty && own.shows("None."))
        #expect(try endpoint(.webhook).name(among: []) == "push.example.org")
    }

    @Test func alertPathOpensAlert() {
        let state = AppFeature.State(screen: .main(.init(userID: Sample.id(1))))
        let alert: AlertID = Sample.id(9)
        let url = URL(filePath: "/")
        #expect(
            state.actions(opening: "/alerts/\(alert)", publicURL: url)
                == [.notificationOpened(.alert(alert, user: nil))])
        #expect(state.actions(opening: "/alerts/x", publicURL: url).isEmpty)
    }
}

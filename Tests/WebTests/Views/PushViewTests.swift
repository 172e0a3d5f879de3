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
        #expect(try page.press("OK") == .notNowButtonTapped)
        #expect(!page.markup.contains("data-push"))
        #expect(card(.failed).markup.contains("data-push=\"later\""))
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
        #expect(own.buttons == [WebhookFeature.openWords] && own.shows("None."))
        #expect(try endpoint(.webhook).name(among: []) == "push.example.org")
    }

    @Test func onlyWebhooksHaveATestButton() throws {
        var webhook = try endpoint(.webhook)
        webhook.template = .ntfy
        func page(_ test: PushEndpointsFeature.Test?) -> Screen<PushEndpointsFeature.Action> {
            screen {
                PushEndpointsFeature.view(
                    .init(endpoints: [webhook], test: test), sessions: [], own: nil)
            }
        }
        let name = "Send a test to ntfy at push.example.org"
        #expect(try page(nil).press(name) == .testButtonTapped(id))
        #expect(try !page(PushEndpointsFeature.Test(id, isSent: false)).canPress(name))
        let sent = page(PushEndpointsFeature.Test(id, isSent: true))
        #expect(sent.shows("The service’s answer appears here"))
        let browser = try endpoint()
        let other = screen {
            PushEndpointsFeature.view(.init(endpoints: [browser]), sessions: [], own: nil)
        }
        #expect(!other.buttons.contains { $0.contains("test") })
    }

    @Test func webhookFormAsksWhatTheServiceNeeds() throws {
        func page(_ form: WebhookFeature.Form?) -> Screen<WebhookFeature.Action> {
            screen { WebhookFeature.view(.init(form: form)) }
        }
        #expect(try page(nil).press(WebhookFeature.openWords) == .openButtonTapped)
        let ntfy = page(WebhookFeature.Form(url: "https://ntfy.sh/a"))
        #expect(ntfy.shows("Anyone who knows an open topic can read your messages"))
        #expect(!ntfy.shows("Id of the room"))
        #expect(try ntfy.change("Access token", to: .text("tk_1")) == .tokenChanged("tk_1"))
        let matrix = page(WebhookFeature.Form(template: .matrix))
        #expect(matrix.shows("The room must not be encrypted."))
        #expect(try matrix.change("Id of the room", to: .text("!a")) == .chatChanged("!a"))
        #expect(!page(WebhookFeature.Form(template: .text)).shows("Access token"))
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

import Clients
import ComposableArchitecture
import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("The app, on pages")
struct AppViewTests {
    private let publicURL = URL(fileURLWithPath: "/")

    private func app(_ main: MainTabFeature.State) -> AppFeature.State {
        AppFeature.State(screen: .main(main))
    }

    @Test func eachTabHasOneTitleAndPath() throws {
        for (tab, path) in zip(
            MainTabFeature.Tab.allCases, ["/", "/responders", "/dependents", "/profile"])
        {
            let state = app(.init(userID: Sample.id(1), selectedTab: tab))
            let page = screen { AppFeature.view(state) }
            #expect(page.headings.count { $0 == 1 } == 1)
            #expect(page.markup.components(separatedBy: "<main").count == 2)
            #expect(state.outline.path == path)
            #expect(state.outline.title.contains(tab.title))
        }
    }

    /// The script removes these alerts from the browser with the press, because the page may be
    /// closed before the server has the answer.
    @Test func onlyDecliningForgetsTheUnsentAlerts() throws {
        let ids: [AlertID] = [Sample.id(1), Sample.id(2)]
        let alert = UnsentAlert(raisedAt: Sample.now, sendsAt: Sample.now)
        let page = screen { unsentAlertQuestion(alert, ids: ids) }
        let found = page.markup.matches(of: #/data-forgets="([^"]*)"/#).map { String($0.1) }
        #expect(found == ["\(ids[0]) \(ids[1])"])
        #expect(page.markup.contains(#/data-forgets="[^>]*>Don’t send it/#))
        #expect(try page.press("Don’t send it") == .unsentAlertAnswered(isToBeSent: false))
        #expect(try page.press("Send it now") == .unsentAlertAnswered(isToBeSent: true))
    }

    @Test func signInPageNamesTheAlertThatWasOn() throws {
        var state = AppFeature.State(screen: .signedOut(AuthFeature.State()))
        #expect(!screen { AppFeature.view(state) }.shows("still on"))
        let ben = OpenAtSignOut.Responder(
            id: Sample.id(2), name: "Ben", number: try PhoneNumber("+15550101"))
        state.openAtSignOut = OpenAtSignOut(
            asOf: Sample.now, alerts: [.init(kind: .manual, helper: "Ben")], responders: [ben],
            emergency: EmergencyNumber(for: ben.number))
        let page = screen { AppFeature.view(state) }
        #expect(page.shows("Your alert was still on as of") && page.shows("Ben was on it."))
        let numbers = page.markup.matches(of: #/href="tel:([^"]*)"/#).map { String($0.1) }
        #expect(numbers == ["+15550101", "911"])
        #expect(page.shows("Sign in to LifeSignal"))
        // The script focuses the last one, and a focused field would scroll the calls away.
        #expect(page.markup.contains(#/<div id="open-at-sign-out" [^>]*data-focus/#))
        #expect(!page.markup.contains(#/<input[^>]*data-focus/#))
    }

    @Test func signInPageNamesTheEndByAnotherDevice() {
        var state = AppFeature.State(screen: .signedOut(AuthFeature.State()))
        let end = EndElsewhere(
            kind: .manual, time: Sample.now,
            ending: .init(sessionId: "s", deviceName: "Old phone"))
        state.openAtSignOut = OpenAtSignOut(asOf: Sample.now, alerts: [], ended: end)
        let page = screen { AppFeature.view(state) }
        #expect(page.shows("Your alert was ended on another device, “Old phone”,"))
        #expect(page.shows("phone someone if you need help") && !page.shows("still on"))
    }

    @Test func messageAtSignInIsFocusedInsteadOfTheField() {
        let plain = screen { AppFeature.view(.init(screen: .signedOut(.init()))) }.markup
        #expect(plain.contains(#/<input[^>]*data-focus/#))
        let state = AppFeature.State(screen: .signedOut(.init()), errors: [Sample.error])
        let markup = screen { AppFeature.view(state) }.markup
        #expect(markup.contains(#/<div class="card critical error-card"[^>]*data-focus/#))
        #expect(!markup.contains(#/<input[^>]*data-focus/#))
        var main = app(.init(userID: Sample.id(1)))
        main.errors = [Sample.error]
        let tabs = screen { AppFeature.view(main) }.markup
        #expect(!tabs.contains(#/<div class="card critical error-card"[^>]*data-focus/#))
    }

    /// The browser keeps the end until then. After a failure it sends the end again.
    @Test func endOfAnAlertIsTakenOnceItIsStored() {
        var main = MainTabFeature.State(userID: Sample.id(1))
        main.home.alert = AlertFeature.State(isAlertActive: true, isDeactivatingAlert: true)
        #expect(app(main).keptAct == .underWay)
        main.home.alert.isDeactivatingAlert = false
        #expect(app(main).keptAct == .stored)
        main.home.alert.error = "LifeSignal can’t be reached."
        #expect(app(main).keptAct == .failed)
        main.home.alert.isAlertActive = false
        #expect(app(main).keptAct == .stored)
        #expect(AppFeature.State().keptAct == .failed)
    }

    @Test func everyPageShowsOwnAlertOnce() throws {
        var main = MainTabFeature.State(userID: Sample.id(1))
        main.home.alert = AlertFeature.State(isAlertActive: true, alertStartTime: Sample.now)
        #expect(!screen { AppFeature.view(app(main)) }.shows("Your alert is on Go"))
        for tab in MainTabFeature.Tab.allCases {
            main.selectedTab = tab
            main.isNotificationCentrePresented = tab == .home
            let page = screen { AppFeature.view(app(main)) }
            #expect(page.shows("Your alert is on"))
            #expect(
                try page.press("Go to your alert")
                    == .screen(.presented(.main(.tabSelected(.home)))))
        }
    }

    @Test func everyPageOffersCallToDependentInNeed() throws {
        let ben = try inNeed("+15550101")
        var main = MainTabFeature.State(userID: Sample.id(1))
        main.dependents.contacts.contacts = [ben]
        let page = screen { AppFeature.view(app(main)) }
        #expect(
            try page.press("See Ben’s alert") == .screen(.presented(.main(.alertTapped(ben)))))
        #expect(page.markup.contains("href=\"tel:+15550101\"") && !page.shows("is on it"))
        #expect(page.shows("I watch over 1 needs help"))
        for (responder, words) in [(3, "Cleo is on it"), (1, "You are on it")] as [(UInt8, String)]
        {
            main.alertNews.acknowledgements[ben.id] = .init(
                responderId: "\(Sample.id(responder) as UserID)", name: "Cleo", time: Sample.now,
                afterSeconds: 1)
            #expect(screen { AppFeature.view(app(main)) }.shows(words))
        }
    }

    @Test func alertSheetFocusesCallButton() throws {
        func sheet(until end: Date? = nil, _ number: String? = "+15550101") throws -> String {
            let alert = Sample.alert(until: end)
            let state = DependentAlertFeature.State(
                alertID: AlertID(alert.id), dependent: try inNeed(number), alert: alert)
            return screen { DependentAlertFeature.view(state) }.markup
        }
        #expect(try sheet().contains(#/<a [^>]*tel:[^>]*data-focus/#))
        #expect(try !sheet(until: Sample.now).contains("data-focus"))
        #expect(try !sheet(until: nil, nil).contains("data-focus"))
    }

    @Test func scriptGetsContactsThenEmergencyNumber() throws {
        var main = MainTabFeature.State(userID: Sample.id(1))
        main.home.emergencyNumber = EmergencyNumber(for: try PhoneNumber("+4915112345678"))
        let numbers = { [self] in
            screen { AppFeature.view(app(main)) }.markup
                .firstMatch(of: #/<ul [^>]*id="phone-numbers"[^>]*>(.*?)<\/ul>/#)
                .map { $0.1.matches(of: #/href="tel:([^"]*)"/#).map { String($0.1) } }
        }
        #expect(numbers() == nil, "nothing is known of contacts yet")
        main.home.alert.hasResponders = false
        #expect(numbers() == ["112"])
        main.responders.contacts.contacts = [try inNeed("+15550101")]
        #expect(numbers() == ["+15550101", "112"])
    }

    @Test func scriptGetsRespondersFirst() throws {
        var (ben, cleo) = (try inNeed("+15550101"), try inNeed("+15550102"))
        cleo.id = Sample.id(3)
        (cleo.isResponder, cleo.isDependent, cleo.watch) = (true, false, nil)
        var main = MainTabFeature.State(userID: Sample.id(1))
        main.home.alert.hasResponders = true
        func numbers() -> [String] {
            screen { AppFeature.view(app(main)) }.markup
                .firstMatch(of: #/<ul [^>]*id="phone-numbers"[^>]*>(.*?)<\/ul>/#)
                .map { $0.1.matches(of: #/href="tel:([^"]*)"/#).map { String($0.1) } } ?? []
        }
        main.responders.contacts.contacts = [ben, cleo]
        #expect(numbers() == ["+15550102", "+15550101"])
        // Ben was added first, but Cleo is called first if the user has chosen that.
        ben.isResponder = true
        cleo.dateAdded = ben.dateAdded.adding(.hours(1))
        main.responders.contacts.contacts = [cleo, ben]
        #expect(numbers() == ["+15550101", "+15550102"])
        (cleo.position, ben.position) = (0, 1)
        main.responders.contacts.contacts = [ben, cleo]
        #expect(numbers() == ["+15550102", "+15550101"])
        ben.phoneNumber = nil
        main.responders.contacts.contacts = [ben, cleo]
        #expect(numbers() == ["+15550102"])
    }

    @Test func scriptGetsDependentsStates() throws {
        var main = MainTabFeature.State(userID: Sample.id(1))
        main.home.alert.hasResponders = false
        func list() throws -> String {
            let markup = screen { AppFeature.view(app(main)) }.markup
            let list = #/<ul [^>]*id="phone-numbers"[^>]*>(.*?)<\/ul>/#
            return try String(#require(markup.firstMatch(of: list)).1)
        }
        var ben = try inNeed("+15550101")
        main.responders.contacts.contacts = [ben]
        #expect(try list().contains("Ben has raised an alert"))
        ben.watch?.status = .active
        ben.watch?.nextCheckInTime = Sample.now
        main.responders.contacts.contacts = [ben]
        #expect(try list().contains("Next check-in: "))
        #expect(try list().contains("Overdue, not confirmed"))
        ben.isDependent = false
        ben.watch = nil
        main.responders.contacts.contacts = [ben]
        #expect(try !list().contains("known"))
    }

    /// The style sheet chooses the sentence of the question before a call for help by this mark.
    @Test(arguments: [true, false])
    func listIsMarkedWithoutResponders(hasResponders: Bool) throws {
        var main = MainTabFeature.State(userID: Sample.id(1))
        main.home.alert.hasResponders = hasResponders
        let markup = screen { AppFeature.view(app(main)) }.markup
        let list = try #require(markup.firstMatch(of: #/<ul [^>]*id="phone-numbers"[^>]*>/#)).0
        #expect(list.contains("data-alone") == !hasResponders)
        let style = String(decoding: Assets.library.style.bytes, as: UTF8.self)
        #expect(style.contains("[data-alone]"))
    }

    /// The offline page shows them.
    @Test func scriptGetsOwnAlertAndJourney() throws {
        var main = MainTabFeature.State(userID: Sample.id(1))
        main.home.alert.hasResponders = false
        func attributes() throws -> String {
            let markup = screen { AppFeature.view(app(main)) }.markup
            return try String(
                #require(markup.firstMatch(of: #/<ul [^>]*id="phone-numbers"[^>]*>/#)).0)
        }
        #expect(try !attributes().contains("data-own"))
        let alert = Sample.alert(answeredBy: "Ben")
        main.home.alert = AlertFeature.State(
            isAlertActive: true, alertStartTime: Sample.now, alertHistory: [alert])
        main.home.alert.hasResponders = false
        main.home.alert.alertID = AlertID(alert.id)
        #expect(try attributes().contains("data-own-alert=\"\(alert.id)\""))
        #expect(try attributes().contains("data-own-since=\"\(Timestamp.text(Sample.now))\""))
        #expect(try attributes().contains("data-own-helper=\"Ben is on it\""))
        main.home.alert.alertEndTime = Sample.now
        #expect(try !attributes().contains("data-own"))
        let journey = JourneyRecord(
            id: Sample.id(20), name: "Zugspitze", startTime: Sample.now,
            expectedReturn: Sample.now)
        main.home.journey = .init(journey: journey, now: Sample.now)
        #expect(try attributes().contains("data-own-journey=\"\(journey.id)\""))
        #expect(try attributes().contains("data-own-name=\"Zugspitze\""))
        main.home.journey.waiting = .arrival
        #expect(try !attributes().contains("data-own"))
    }

    /// The offline page names the alerts that the server has raised.
    @Test func scriptGetsMissedCheckInAndOverdueJourney() throws {
        var main = MainTabFeature.State(userID: Sample.id(1))
        main.home.alert.hasResponders = false
        main.home.alert.missedCheckIn = Sample.alert(2, kind: .missedCheckIn, answeredBy: "Ben")
        var late = Sample.alert(3, kind: .journey)
        late.journey = "Zugspitze"
        main.home.alert.overdueJourney = late
        let markup = screen { AppFeature.view(app(main)) }.markup
        let since = Timestamp.text(Sample.now)
        for text in [
            "data-own-missed=\"You missed your check-in\"", "data-own-missed-since=\"\(since)\"",
            "data-own-missed-helper=\"Ben is on it\"", "data-own-late-since=\"\(since)\"",
        ] {
            #expect(markup.contains(text))
        }
        #expect(markup.contains(#/data-own-late="[^"]*Zugspitze[^"]*"/#))
        #expect(!markup.contains("data-own-late-helper") && !markup.contains("data-own-alert"))
    }

    @Test func homeBadgeCountsRequests() {
        var main = MainTabFeature.State(userID: Sample.id(1), selectedTab: .profile)
        let words = { [self] in screen { AppFeature.view(app(main)) }.text }
        #expect(words().contains("Home Responders"))
        let asking = [2, 3].map { (number: UInt8) in
            ContactData(
                id: Sample.id(number), name: "Ben", phoneNumber: nil, profilePictureURL: nil,
                roles: .shown(isResponder: false, isDependent: false), dateAdded: Sample.now,
                hasPendingPing: false, pingedAt: nil, watch: nil,
                requests: [RoleRequest(role: .dependent, isMine: false, requestedAt: Sample.now)])
        }
        main.home.cards.contacts = [asking[0]]
        #expect(words().contains("Home 1 request Responders"))
        main.home.cards.contacts = [asking[0], asking[1]]
        #expect(words().contains("Home 2 requests Responders"))
    }

    /// A page that keeps parts of the page before it must look like a fresh page.
    @Test func updatedPageLooksFresh() throws {
        let ben = try inNeed("+15550101")
        var calm = ben
        calm.watch?.status = .active
        let changes: [(inout MainTabFeature.State) -> Void] = [
            { $0.home.alert.hasResponders = false },
            { $0.responders.contacts.contacts = [calm] },
            { $0.responders.contacts.contacts = [ben] },
            { $0.dependents.contacts.contacts = [ben] },
            { state in
                state.alertNews.acknowledgements[ben.id] = .init(
                    responderId: "r", name: "Cleo", time: Sample.now, afterSeconds: 1)
            },
            { state in
                state.home.checkIn.checkInHistory = [
                    CheckInRecord(
                        id: Sample.id(5), occurredAt: Sample.now, receivedAt: Sample.now,
                        nextCheckInTime: nil)
                ]
            },
            { $0.home.checkIn.isCheckingIn = true },
            { $0.home.alert.alertHistory = [Sample.alert(until: Sample.now)] },
            { $0.selectedTab = .responders },
            { $0.selectedTab = .home },
            { $0.home.alert.alertHistory = [] },
        ]
        var main = MainTabFeature.State(userID: Sample.id(1))
        var page: Rendering<AppFeature.Action>?
        for change in changes {
            change(&main)
            let state = app(main)
            let (next, fresh) = withDependencies {
                $0.date.now = Sample.now
            } operation: {
                (
                    Renderer.render(AppFeature.view(state), after: page),
                    Renderer.render(AppFeature.view(state))
                )
            }
            #expect(next.markup == fresh.markup)
            page = next
        }
    }

    private func inNeed(_ number: String?) throws -> ContactData {
        ContactData(
            id: Sample.id(2), name: "Ben", phoneNumber: try number.map { try PhoneNumber($0) },
            profilePictureURL: nil, roles: .shown(isResponder: false, isDependent: true),
            dateAdded: Sample.now, hasPendingPing: false, pingedAt: nil,
            watch: .init(
                emergencyNote: "", lastCheckInTime: nil, nextCheckInTime: nil,
                checkInIntervalSeconds: 86_400, status: .alertActive))
    }

    @Test func everyPageShowsNewContactUntilAnswered() throws {
        var main = MainTabFeature.State(userID: Sample.id(1))
        let item = NotificationItem(
            id: Sample.id(9), type: .contactAdded, title: "Ben is now your contact",
            body: "They used your code.", createdAt: Sample.now)
        main.notifications.notifications = [item]
        for tab in MainTabFeature.Tab.allCases {
            main.selectedTab = tab
            let page = screen { AppFeature.view(app(main)) }
            #expect(
                try page.press("OK: Ben is now your contact")
                    == .screen(
                        .presented(.main(.notifications(.markAsReadButtonTapped(item.id))))))
            #expect(
                try page.press("Remove or block: Ben is now your contact")
                    == .screen(.presented(.main(.notifications(.notificationTapped(item.id))))))
            #expect(page.markup.components(separatedBy: "Ben is now your contact</p>").count == 2)
            #expect(page.shows("They used your code."))
            #expect(!page.markup.contains("banner fine") && !page.markup.contains("data-brief"))
        }
        main.notifications.notifications[id: item.id]?.readAt = Sample.now
        #expect(!screen { AppFeature.view(app(main)) }.shows("Ben is now your contact"))
    }

    @Test func otherPagesShowRespondersAside() throws {
        var main = MainTabFeature.State(userID: Sample.id(1))
        #expect(!screen { AppFeature.view(app(main)) }.markup.contains("<aside"))
        var ben = try inNeed("+15550101")
        (ben.isResponder, ben.isDependent, ben.watch) = (true, false, nil)
        main.responders.contacts.contacts = [ben]
        #expect(screen { AppFeature.view(app(main)) }.shows("Your responders"))
        main.selectedTab = .responders
        #expect(!screen { AppFeature.view(app(main)) }.markup.contains("<aside"))
    }

    @Test func pathsOpenTheirPages() {
        var main = MainTabFeature.State(userID: Sample.id(1))
        #expect(main.actions(opening: "/responders") == [.tabSelected(.responders)])
        #expect(
            main.actions(opening: "/settings") == [
                .tabSelected(.profile), .profile(.settingsButtonTapped),
            ])
        #expect(main.actions(opening: "/nowhere").isEmpty)
        #expect(
            main.actions(opening: "/scan") == [
                .tabSelected(.dependents), .dependents(.showQRScanner),
            ])
        main.selectedTab = .profile
        main.profile.destination = .settings(.init())
        #expect(main.actions(opening: "/profile") == [.tabSelected(.profile)])
        // Choosing the tab closes the open settings, so another action must open them.
        main.selectedTab = .home
        #expect(main.actions(opening: "/settings").last == .profile(.settingsButtonTapped))
        main.profile.destination = nil
        main.isNotificationCentrePresented = true
        #expect(main.path == "/notifications")
        #expect(main.actions(opening: "/") == [.notificationCentreDismissed])
    }

    @Test func actionsForClosedSheetsAreIgnored() {
        let state = app(.init(userID: Sample.id(1)))
        #expect(
            !state.accepts(
                .screen(
                    .presented(
                        .main(.profile(.destination(.presented(.settings(.exportButtonTapped))))))))
        )
        #expect(
            !state.accepts(
                .screen(.presented(.main(.dependentAlert(.presented(.closeButtonTapped)))))))
        #expect(!AppFeature.State().accepts(.screen(.presented(.main(.onDisappear)))))
        #expect(state.accepts(.screen(.presented(.main(.tabSelected(.home))))))
    }

    @Test func pauseIsEndedOnlyWhileTheQuestionIsOpen() {
        var main = MainTabFeature.State(userID: Sample.id(1))
        let end = AppFeature.Action.screen(
            .presented(.main(.home(.checkIn(.pause(.confirmation(.presented(.endConfirmed))))))))
        #expect(!app(main).accepts(end))
        main.home.checkIn.pause.confirmation = AlertState<PauseFeature.Action.Confirmation> {
            TextState("End it?")
        } actions: {
            ButtonState(action: .endConfirmed) { TextState("End it now") }
        }
        #expect(app(main).accepts(end))
    }

    @Test func showsConnectionAndErrors() throws {
        var state = AppFeature.State(
            screen: .signedOut(.init()), connectivity: .init(isOnline: false),
            errors: [Sample.error])
        let page = screen { AppFeature.view(state) }
        #expect(page.shows("Offline"))
        #expect(try page.press("Try now") == .retryButtonTapped)
        #expect(page.shows("Too many attempts"))
        state.screen = nil
        #expect(screen { AppFeature.view(state) }.headings == [1])
    }

    @Test func profileAndSettingsHaveTheirButtons() throws {
        var state = ProfileFeature.State(
            name: Sample.hostile, phoneNumber: "+15550100", emergencyNote: Sample.hostile)
        let page = screen { ProfileFeature.view(state) }
        #expect(!page.markup.contains("<script"))
        #expect(try page.press("Edit name and note") == .editButtonTapped)
        #expect(try page.press("Sign out") == .signOutButtonTapped)
        state.destination = .settings(SettingsFeature.State(exportedFile: Data("{}".utf8)))
        let settings = screen { ProfileFeature.view(state) }
        #expect(try settings.press("Back") == .destination(.dismiss))
        #expect(
            try settings.press("Delete account")
                == .destination(.presented(.settings(.deleteAccountButtonTapped))))
        #expect(settings.markup.contains("href=\"/web/downloads/lifesignal-export.json\""))
    }

    @Test func notificationsCanBeReadAndDeleted() throws {
        let item = NotificationItem(
            id: Sample.id(1), type: .alert, title: Sample.hostile, body: "b", createdAt: Sample.now,
            aboutUserID: Sample.id(2))
        let page = screen { NotificationFeature.view(.init(notifications: [item])) }
        #expect(!page.markup.contains("<script"))
        #expect(page.shows("1 unread"))
        let many = (1...UInt8(99)).map {
            NotificationItem(
                id: Sample.id($0), type: .ping, title: "t", body: "b", createdAt: Sample.now)
        }
        var list = NotificationFeature.State()
        list.notifications = .init(uniqueElements: many)
        #expect(screen { NotificationFeature.view(list) }.shows("99+ unread"))
        #expect(try page.press("Mark all as read") == .markAllAsReadButtonTapped)
        #expect(try page.press("Delete: \(Sample.hostile)") == .deleteButtonTapped(item.id))
        #expect(try page.change("Show", to: .text("ping"), "choose") == .filterSelected(.ping))
    }
}

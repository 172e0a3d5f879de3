import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct AccountNewsTests {
    private let server: TestServer
    private let ada: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isEmailAvailable = true
            $0.pushKinds = [.webhook, .webPush, .apns]
        })
        ada = try await server.armed("Ada")
        let muted = Set(NotificationType.allCases).subtracting([.alert])
        _ = try await server.network.notifications.setPreferences(
            try NotificationPreferences(muted: muted), of: ada.caller)
    }

    private func tablet(_ name: String = "Tablet") async throws -> Person {
        try await server.signIn(ada.number, as: "Ada", on: name)
    }

    private func confirmEmail() async throws {
        _ = try await server.network.emailAddresses.setEmailAddress(
            EmailAddress("ada@example.org"), from: "192.0.2.1", of: ada.caller)
        let code = try #require(server.environment.emails.last?.code)
        _ = try await server.network.emailAddresses.confirmEmailAddress(code: code, of: ada.caller)
        _ = try await server.news(of: ada)
    }

    private func addWebhook(to person: Person) async throws -> PushEndpointID {
        let id: PushEndpointID = server.environment.id()
        let url = try #require(URL(string: "https://hooks.example/\(id)"))
        _ = try await server.network.endpoints.savePushEndpoint(
            id, kind: .webhook, url: url, of: person.caller)
        _ = try await server.news(of: ada)
        return id
    }

    /// Returns each channel of the notification, with its endpoint.
    private func ways(to item: NotificationItem) async throws -> [(String, PushEndpointID?)] {
        let id = item.id
        return try await server.engine.read {
            try $0.query(
                "SELECT channel, device_id FROM deliveries WHERE notification_id = $1", [.id(id)]
            ) { (try $0["channel"] as String, try $0["device_id"] as PushEndpointID?) }
        }
    }

    private func item(of person: Person) async throws -> NotificationItem {
        let page = try Page(limit: 10)
        return try #require(
            try await server.network.notifications.notifications(of: person.caller, page: page)
                .first)
    }

    @Test func newSignInIsAnnouncedOnOtherDevices() async throws {
        let webhook = try await addWebhook(to: ada)
        try await confirmEmail()
        let thief = try await tablet()
        let item = try await item(of: ada)
        #expect(item.title == "New sign-in to your account")
        #expect(item.body.hasPrefix("“Tablet” signed in at 12:00"))
        #expect(item.sessionID == thief.caller.sessionID)
        let ways = try await ways(to: item)
        #expect(Set(ways.map(\.0)) == ["stream", "webhook", "email"])
        #expect(ways.contains { $0.1 == webhook })
    }

    /// A thief with a session could otherwise withdraw the e-mail before it is sent.
    @Test(arguments: [false, true])
    func announcementIsSentAfterItIsReadOrDeleted(isDeleted: Bool) async throws {
        try await confirmEmail()
        let thief = try await tablet()
        let item = try await item(of: ada)
        if isDeleted {
            try await server.network.notifications.deleteNotification(item.id, of: thief.caller)
        } else {
            try await server.network.notifications.markRead(item.id, of: thief.caller)
        }
        let page = try Page(limit: 10)
        let shown = try await server.network.notifications.notifications(
            of: ada.caller, page: page)
        #expect(shown.contains { $0.id == item.id } == !isDeleted)
        let waiting: [String] = try await server.engine.read { [ada] in
            try $0.values(
                """
                SELECT channel FROM deliveries
                WHERE user_id = $1 AND notification_id = $2 AND next_try_at IS NOT NULL
                """, [.id(ada.id), .id(item.id)])
        }
        #expect(waiting == ["email"])
    }

    @Test func theFirstSignInIsNoNews() async throws {
        let eve = try await server.signIn(try PhoneNumber("+15550009999"), as: "Eve")
        #expect(try await server.news(of: eve) == [])
    }

    @Test func soleSignInIsAnnouncedByMailOnly() async throws {
        try await server.network.signIn.endSession(ada.caller.sessionID, of: ada.caller)
        let again = try await tablet()
        #expect(try await server.news(of: again) == [])
        try await server.network.signIn.endSession(again.caller.sessionID, of: again.caller)

        let third = try await tablet()
        _ = try await server.network.emailAddresses.setEmailAddress(
            EmailAddress("ada@example.org"), from: "192.0.2.1", of: third.caller)
        let code = try #require(server.environment.emails.last?.code)
        _ = try await server.network.emailAddresses.confirmEmailAddress(
            code: code, of: third.caller)
        try await server.network.signIn.endSession(third.caller.sessionID, of: third.caller)
        let fourth = try await tablet()
        #expect(try await server.news(of: fourth).contains("New sign-in to your account"))
    }

    @Test(arguments: [
        "Call +1 900 1234567", "evil.example/x", "LifeSignal: you won\u{202E}", "No one", "You",
        "Nobody",
    ])
    func deviceNameCannotBeAMessage(name: String) async throws {
        _ = try await tablet(name)
        let body = try await item(of: ada).body
        #expect(body.hasPrefix("A device signed in"), "\(body)")
    }

    @Test func newBrowserOrAppIsAnnounced() async throws {
        let thief = try await tablet()
        _ = try await server.news(of: ada)
        let token = try AppToken(
            apns: String(repeating: "ab", count: 32), environment: .production)
        let id: PushEndpointID = server.environment.id()
        for _ in 0..<2 {
            _ = try await server.network.appEndpoints.saveAppEndpoint(id, token, of: thief.caller)
        }
        let news = try await server.newsItems(of: ada)
        #expect(news.map(\.title) == ["Another app gets your messages"])
        #expect(news.first?.sessionID == thief.caller.sessionID)
    }

    /// Otherwise a thief could add an app, and take over the owner's unnoticed.
    @Test func eachNewAppIsAnnounced() async throws {
        let apps = server.network.appEndpoints
        func token(_ byte: String) throws -> AppToken {
            try AppToken(apns: String(repeating: byte, count: 32), environment: .production)
        }
        let own: PushEndpointID = server.environment.id()
        _ = try await apps.saveAppEndpoint(own, token("ab"), of: ada.caller)
        let thief = try await tablet()
        _ = try await server.news(of: ada)
        _ = try await apps.saveAppEndpoint(
            server.environment.id(), token("cd"), of: thief.caller)
        let title = "Another app gets your messages"
        #expect(try await server.news(of: ada) == [title])
        _ = try await apps.saveAppEndpoint(own, token("ab"), of: thief.caller)
        #expect(try await server.news(of: ada) == [title])
        // The app registers again at each start.
        for _ in 0..<2 { _ = try await apps.saveAppEndpoint(own, token("ab"), of: thief.caller) }
        #expect(try await server.news(of: ada) == [])
    }

    /// Phones get a new token now and then. With the app's token of a session, a thief could give
    /// the app that of another phone.
    @Test func newTokenOfAKnownAppIsAnnouncedOnceADay() async throws {
        let apps = server.network.appEndpoints
        func token(_ byte: String) throws -> AppToken {
            try AppToken(apns: String(repeating: byte, count: 32), environment: .production)
        }
        let thief = try await tablet()
        let id: PushEndpointID = server.environment.id()
        _ = try await apps.saveAppEndpoint(id, token("ab"), of: thief.caller)
        let title = "An app has a new address for messages"
        for byte in ["cd", "cd", "ef"] {
            _ = try await apps.saveAppEndpoint(id, token(byte), of: thief.caller)
            #expect(try await told(title) == 1)
        }
        server.clock.pass(.days(1))
        _ = try await apps.saveAppEndpoint(id, token("ab"), of: thief.caller)
        #expect(try await told(title) == 2)
        let sandbox = try AppToken(
            apns: String(repeating: "ab", count: 32), environment: .sandbox)
        _ = try await apps.saveAppEndpoint(id, sandbox, of: thief.caller)
        #expect(try await told("Another app gets your messages") == 2)
    }

    /// With the token of a session, a thief could point its browser's endpoint to another browser.
    @Test func newAddressOfAKnownBrowserIsAnnounced() async throws {
        try await server.network.serverLife.wake()
        let thief = try await tablet()
        let id: PushEndpointID = server.environment.id()
        func save(_ address: String, key: UInt8) async throws -> [Int] {
            let url = try #require(URL(string: address))
            let keys = Data([key])
            _ = try await server.network.pushSubscriptions.savePushSubscription(
                id, BrowserSubscription(url: url, p256dh: keys, auth: keys), of: thief.caller)
            return [
                try await told("Another browser gets your messages"),
                try await told("A browser has a new address for messages"),
            ]
        }
        #expect(try await save("https://push.example/1", key: 1) == [1, 0])
        #expect(try await save("https://push.example/1", key: 1) == [1, 0])
        #expect(try await save("https://push.example/2", key: 2) == [1, 1])
        #expect(try await save("https://push.example/3", key: 3) == [1, 1])
        #expect(try await save("https://thief.example/1", key: 3) == [2, 1])
        // Other keys silence the browser.
        #expect(try await save("https://thief.example/1", key: 4) == [3, 1])
    }

    /// A thief could silence the other devices, and act unnoticed from then on.
    @Test func removalOfAnotherDevicesEndpointIsAnnouncedOnce() async throws {
        let hooks = [try await addWebhook(to: ada), try await addWebhook(to: ada)]
        let left = try await addWebhook(to: ada)
        let thief = try await tablet()
        _ = try await server.news(of: ada)
        try await server.network.endpoints.deletePushEndpoint(hooks[0], of: thief.caller)
        let item = try await item(of: ada)
        #expect(item.title == "A device gets no more messages")
        #expect(item.sessionID == thief.caller.sessionID)
        #expect(try await Set(ways(to: item).compactMap(\.1)) == [hooks[1], left])
        try await server.network.endpoints.deletePushEndpoint(hooks[1], of: thief.caller)
        #expect(try await server.news(of: ada) == ["A device gets no more messages"])
    }

    /// A thief could end the other devices' sessions, and with them their messages.
    @Test func endsOfOtherSessionsAreAnnouncedOnce() async throws {
        try await confirmEmail()
        let (thief, laptop) = (try await tablet(), try await tablet("Laptop"))
        let watch = try await tablet("Watch")
        _ = try await addWebhook(to: laptop)
        let left = try await addWebhook(to: watch)
        _ = try await server.news(of: watch)
        try await server.network.signIn.endSession(laptop.caller.sessionID, of: thief.caller)
        let item = try await item(of: watch)
        #expect(item.title == "A device was signed out")
        #expect(item.sessionID == thief.caller.sessionID)
        let ways = try await ways(to: item)
        #expect(ways.compactMap(\.1) == [left])
        #expect(ways.contains { $0.0 == "email" })
        try await server.network.signIn.endSession(ada.caller.sessionID, of: thief.caller)
        #expect(try await server.news(of: watch) == ["A device was signed out"])
    }

    @Test func ownSignOutIsNoNews() async throws {
        try await confirmEmail()
        let other = try await tablet()
        _ = try await server.news(of: ada)
        try await server.network.signIn.endSession(other.caller.sessionID, of: other.caller)
        #expect(try await server.news(of: ada) == [])
    }

    @Test func removalOfAnOwnEndpointIsNoNews() async throws {
        let own = try await addWebhook(to: ada)
        _ = try await tablet()
        _ = try await server.news(of: ada)
        try await server.network.endpoints.deletePushEndpoint(own, of: ada.caller)
        #expect(try await server.news(of: ada) == [])
    }

    /// Otherwise a thief could take an endpoint over, and remove it as one of their own.
    @Test func webhookTakenOverByAnotherSessionIsAnnounced() async throws {
        let hook = try await addWebhook(to: ada)
        let thief = try await tablet()
        _ = try await server.news(of: ada)
        let url = try #require(URL(string: "https://hooks.example/new/\(hook)"))
        for _ in 1...2 {
            _ = try await server.network.endpoints.savePushEndpoint(
                hook, kind: .webhook, url: url, of: thief.caller)
        }
        #expect(try await server.news(of: ada) == ["A webhook was added"])
    }

    @Test func deviceIsNotToldOfItsOwnActions() async throws {
        let own = try await addWebhook(to: ada)
        let other = try await tablet()
        let theirs = try await addWebhook(to: other)
        _ = try await server.setInterval(.hours(8), of: ada)
        let item = try await item(of: ada)
        #expect(item.title == "Your check-in schedule was changed")
        let endpoints = try await ways(to: item).compactMap(\.1)
        #expect(endpoints == [theirs] && own != theirs)
    }

    @Test func unchangedScheduleIsNoNews() async throws {
        let thief = try await tablet()
        _ = try await server.news(of: ada)
        _ = try await server.setInterval(.hours(8), of: thief)
        _ = try await server.setInterval(.hours(8), of: thief)
        #expect(try await server.news(of: ada) == ["Your check-in schedule was changed"])
    }

    @Test func otherDevicesAreToldOfEachChangeOfAPause() async throws {
        let (thief, pauses) = (try await tablet(), server.network.pauses)
        _ = try await server.news(of: ada)
        server.clock.pass(.milliseconds(1))
        let now = server.clock.now
        _ = try await pauses.pause(until: now.adding(.hours(2)), of: thief.caller)
        let began = try await item(of: ada)
        #expect(began.title == "Your check-ins were paused")
        #expect(
            began.body == """
                Another device paused them. No one is told of a missed check-in until 14:00 UTC. \
                If that was not you, end its session.
                """)
        for hours in [3, 4] {
            _ = try await pauses.pause(until: now.adding(.hours(hours)), of: thief.caller)
        }
        _ = try await pauses.endPause(of: thief.caller)
        #expect(
            try await server.news(of: ada).sorted() == [
                "Your check-ins were paused", "Your pause was changed", "Your pause was changed",
                "Your pause was ended",
            ])
    }

    @Test func newsOfAPauseReplacesItsUnsentNews() async throws {
        let (thief, pauses) = (try await tablet(), server.network.pauses)
        _ = try await addWebhook(to: ada)
        _ = try await pauses.pause(until: server.clock.now.adding(.days(2)), of: thief.caller)
        let began = try await item(of: ada)
        server.clock.pass(.milliseconds(1))
        _ = try await pauses.endPause(of: thief.caller)
        #expect(try await withdrawn(began) == 1)
    }

    /// Returns how many notifications with this title Ada has.
    private func told(_ title: String) async throws -> Int {
        try await server.network.notifications.notifications(
            of: ada.caller, page: Page(limit: 200)
        ).count { $0.title == title }
    }

    /// Returns how many of Ada's messages of this news were replaced before they were sent.
    private func withdrawn(_ item: NotificationItem) async throws -> Int {
        try await server.engine.read {
            try $0.count(
                "SELECT COUNT(*) FROM deliveries WHERE notification_id = $1 AND superseded = 1",
                [.id(item.id)])
        }
    }

    /// The other change is of a reminder, or brings deadlines back.
    @Test(arguments: [CheckInPlan.none, .interval])
    func onlyNewDeadlinesReplaceUnsentNewsOfNone(plan: CheckInPlan) async throws {
        let thief = try await tablet()
        _ = try await addWebhook(to: ada)
        _ = try await server.setPlan(.none, of: thief)
        let none = try await item(of: ada)
        #expect(none.title == "You have no deadlines any more")
        let settings = CheckInSettings(
            plan: plan, intervalSeconds: 86_400, remindTwoHoursBefore: false,
            remindThirtyMinutesBefore: true)
        _ = try await server.network.checkIns.updateSettings(settings, of: thief.caller)
        #expect(try await withdrawn(none) == (plan == .none ? 0 : 1))
    }

    @Test func otherDevicesAreToldOfAScheduleWithoutDeadlines() async throws {
        let thief = try await tablet()
        _ = try await server.news(of: ada)
        let none = "You have no deadlines any more"
        for _ in 1...2 {
            _ = try await server.setPlan(.none, of: thief)
            #expect(try await server.news(of: ada) == [none])
            _ = try await server.setInterval(.hours(24), of: thief)
            #expect(try await server.news(of: ada) == ["Your check-in schedule was changed"])
        }
    }

    @Test func scheduleChangesAreAnnouncedEvery10Minutes() async throws {
        let thief = try await tablet()
        _ = try await server.news(of: ada)
        let title = "Your check-in schedule was changed"
        for hours in 8...20 { _ = try await server.setInterval(.hours(hours), of: thief) }
        #expect(try await told(title) == 1)
        server.clock.pass(.minutes(10) - .milliseconds(1))
        _ = try await server.setInterval(.hours(23), of: thief)
        #expect(try await told(title) == 1)
        server.clock.pass(.milliseconds(1))
        _ = try await server.setInterval(.hours(24), of: thief)
        #expect(try await told(title) == 2)
    }

    private func setLastCall(_ lastCall: LastCall, by person: Person) async throws {
        let settings = CheckInSettings(
            intervalSeconds: 86_400, remindTwoHoursBefore: true, remindThirtyMinutesBefore: true,
            lastCall: lastCall)
        _ = try await server.network.checkIns.updateSettings(settings, of: person.caller)
    }

    /// A person who holds the phone could otherwise check in by SMS for its silenced owner.
    @Test func allowedAnswersAreAnnouncedOnTheOnlyDevice() async throws {
        let answers = LastCall(sendsMessage: true, calls: nil, takesAnswers: true)
        try await setLastCall(answers, by: ada)
        let item = try #require(try await server.newsItems(of: ada).first)
        #expect(item.title == "An SMS can check in for you")
        #expect(item.shown(to: ada.caller.sessionID) != nil)
        server.clock.pass(.minutes(10))
        try await setLastCall(.standard, by: ada)
        #expect(try await server.news(of: ada) == [])
    }

    @Test(arguments: [
        LastCall(sendsMessage: false, calls: nil, takesAnswers: false),
        LastCall(sendsMessage: true, calls: false, takesAnswers: false), .off,
    ])
    func lastCallTurnedOffIsAnnouncedOnTheOnlyDevice(lastCall: LastCall) async throws {
        try await setLastCall(lastCall, by: ada)
        let item = try #require(try await server.newsItems(of: ada).first)
        #expect(item.title == "You get fewer last calls")
        #expect(item.shown(to: ada.caller.sessionID) != nil)
        server.clock.pass(.minutes(10))
        try await setLastCall(
            LastCall(sendsMessage: true, calls: true, takesAnswers: false), by: ada)
        #expect(try await server.news(of: ada) == [])
    }

    /// With the default, people with a push endpoint aren't called.
    @Test func lastCallLimitedToTheDefaultIsAnnounced() async throws {
        let always = LastCall(sendsMessage: true, calls: true, takesAnswers: false)
        try await setLastCall(always, by: ada)
        _ = try await server.news(of: ada)
        server.clock.pass(.minutes(10))
        try await setLastCall(.standard, by: ada)
        #expect(try await server.news(of: ada) == ["You get fewer last calls"])
    }

    @Test func firstLastCallOfTheOnboardingIsNoNews() async throws {
        let eve = try await server.person("Eve")
        try await setLastCall(
            LastCall(sendsMessage: false, calls: false, takesAnswers: true), by: eve)
        #expect(try await server.news(of: eve) == [])
    }

    private func setNote(_ note: String, by person: Person) async throws {
        _ = try await server.network.profiles.updateProfile(
            name: nil, emergencyNote: note, of: person.caller)
    }

    @Test func changedNoteIsAnnouncedOnOtherDevices() async throws {
        let thief = try await tablet()
        _ = try await server.news(of: ada)
        for note in ["Insulin", "Insulin", "None", ""] { try await setNote(note, by: thief) }
        let news = try await server.newsItems(of: ada)
        #expect(news.map(\.title) == ["Your emergency note was changed"])
        #expect(news.first?.sessionID == thief.caller.sessionID)
        #expect(news.first?.body.contains("Insulin") == false)
        server.clock.pass(.minutes(10))
        try await setNote("", by: thief)
        #expect(try await server.news(of: ada) == [])
        try await setNote("None", by: thief)
        #expect(try await server.news(of: ada) == ["Your emergency note was changed"])
    }

    /// The onboarding asks for the first note.
    @Test func onlyDeviceShowsAChangedNoteButNotTheFirst() async throws {
        try await setNote("Insulin", by: ada)
        #expect(try await server.news(of: ada) == [])
        try await setNote("None", by: ada)
        let item = try #require(try await server.newsItems(of: ada).first)
        #expect(item.title == "Your emergency note was changed")
        #expect(item.shown(to: ada.caller.sessionID) != nil)
    }

    @Test func changedOrderOfCallsIsAnnouncedOnOtherDevices() async throws {
        let responders = [try await server.person("Ben"), try await server.person("Cleo")]
        for responder in responders { try await server.connect(responder, watchesOver: ada) }
        let thief = try await tablet()
        func order(_ people: [Person]) async throws {
            try await server.network.responderOrder.orderResponders(
                people.map(\.id), of: thief.caller)
        }
        let present: [UserID] = try await server.engine.read { [ada] in
            try $0.responderIDs(of: ada.id)
        }
        let sorted = present.compactMap { id in responders.first { $0.id == id } }
        _ = try await server.news(of: ada)
        try await order(sorted)
        #expect(try await server.news(of: ada) == [])
        try await order(sorted.reversed())
        try await order(sorted)
        #expect(try await server.news(of: ada) == ["The order of calls was changed"])
    }

    @Test func renewedCodeIsAnnouncedOnOtherDevices() async throws {
        _ = try await server.network.qrCodes.renewQRCode(of: ada.caller)
        #expect(try await server.news(of: ada) == [])
        let thief = try await tablet()
        _ = try await server.news(of: ada)
        for _ in 0..<2 { _ = try await server.network.qrCodes.renewQRCode(of: thief.caller) }
        #expect(try await server.news(of: ada) == ["You have a new QR code"])
    }

    @Test func onlyDeviceIsNotToldOfItself() async throws {
        _ = try await server.setInterval(.hours(8), of: ada)
        let alert = try await server.raiseAlert(ada)
        _ = try await server.news(of: ada)
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.news(of: ada) == [])
    }

    @Test func alertEndedElsewhereIsAnnounced() async throws {
        let thief = try await tablet()
        let alert = try await server.raiseAlert(ada)
        _ = try await server.news(of: ada)
        _ = try await server.endAlert(alert, thief)
        let news = try await server.newsItems(of: ada)
        #expect(news.map(\.title) == ["Your alert was ended on another device"])
        #expect(news.first?.sessionID == thief.caller.sessionID)
        #expect(news.first?.body.contains("on “Tablet” at") == true)
        _ = try await server.endAlert(alert, thief)
        #expect(try await server.news(of: ada) == [])
    }

    @Test func theAlertNamesTheDeviceThatEndedIt() async throws {
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        let thief = try await tablet()
        let alert = try await server.raiseAlert(ada)
        _ = try await server.endAlert(alert, thief)
        let ending = AlertRecord.Ending(
            sessionId: thief.caller.sessionID.description, deviceName: "Tablet")
        #expect(try await server.alert(alert, seenBy: ada).ending == ending)
        // The alert keeps the device's name after the session's end. Responders never see either.
        _ = try await server.network.signIn.endSession(thief.caller.sessionID, of: ada.caller)
        #expect(try await server.alert(alert, seenBy: ada).ending == ending)
        #expect(try await server.alert(alert, seenBy: ben).ending == nil)
        #expect(
            try await server.events(of: ben).allSatisfy {
                if case .alert(let record) = $0 { record.ending == nil } else { true }
            })
    }

    @Test func missedCheckInNamesTheEndingDevice() async throws {
        let thief = try await tablet()
        try await server.pass(.hours(24))
        let missed = try #require(try await server.openAlert(ada))
        _ = try await server.network.checkIns.checkIn(
            server.environment.id(), occurredAt: server.clock.now, by: thief.caller)
        #expect(try await server.alert(missed, seenBy: ada).ending?.deviceName == "Tablet")
    }

    @Test func reusedRefreshTokenIsAnnounced() async throws {
        let other = try await tablet()
        let second = try await server.network.signIn.refresh(other.tokens.refreshToken)
        _ = try await server.network.signIn.refresh(second.refreshToken)
        _ = try await server.news(of: ada)
        for _ in 0..<2 {
            _ = await refusal { try await server.network.signIn.refresh(other.tokens.refreshToken) }
        }
        #expect(try await server.news(of: ada) == ["A session was ended"])
    }

    // MARK: The link

    @Test func linkEndsOnlyItsSession() async throws {
        let thief = try await tablet()
        let url = server.network.accountNews.sessionLink(ada.id, thief.caller.sessionID)
        let secret = try #require(url.fragment)
        #expect(
            try await server.network.accountNews.linkedSession(by: secret)?.deviceName == "Tablet")
        #expect(try await server.network.accountNews.endLinkedSession(by: secret) == .session)
        let sessions = try await server.network.signIn.sessions(of: ada.caller)
        #expect(sessions.map(\.id) == [ada.caller.sessionID])
        #expect(try await server.network.accountNews.linkedSession(by: secret) == nil)
        #expect(try await server.network.accountNews.endLinkedSession(by: secret) == nil)
    }

    /// Somebody who reads an old e-mail could end the owner's sessions.
    @Test func endByALinkIsAnnounced() async throws {
        try await confirmEmail()
        let (laptop, news) = (try await tablet("Laptop"), server.network.accountNews)
        let webhook = try await addWebhook(to: ada)
        let link = news.sessionLink(ada.id, laptop.caller.sessionID)
        let secret = try #require(link.fragment)
        #expect(try await news.endLinkedSession(by: secret) == .session)
        let item = try await item(of: ada)
        #expect(item.title == "A device was signed out" && item.sessionID == nil)
        #expect(item.body.hasPrefix("The link in an e-mail signed it out"))
        let ways = try await ways(to: item)
        #expect(Set(ways.map(\.0)) == ["stream", "webhook", "email"])
        #expect(ways.compactMap(\.1) == [webhook])
        _ = try await server.news(of: ada)
        #expect(try await news.endLinkedSession(by: secret) == nil)
        #expect(try await server.news(of: ada) == [])
    }

    @Test func aLinkOfAnotherPurposeEndsNothing() async throws {
        let session = ada.caller.sessionID
        let other = server.network.link(.alert, ada.id.uuid, session.uuid)
        let secret = try #require(other.fragment)
        #expect(try await server.network.accountNews.endLinkedSession(by: secret) == nil)
        #expect(try await server.network.accountNews.endLinkedSession(by: "x") == nil)
        #expect(try await server.network.signIn.sessions(of: ada.caller).map(\.id) == [session])
    }
}

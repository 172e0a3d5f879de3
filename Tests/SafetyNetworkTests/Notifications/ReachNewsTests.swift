import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// The people who rely on a person, and their open pages, learn when that person's reachability
/// changes.
@Suite struct ReachNewsTests {
    private let server: TestServer
    private let ada, ben: Person
    private let news = ReachNews()

    init() async throws {
        server = try TestServer()
        try await server.network.serverLife.wake()
        (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        _ = server.published.takeReach(to: news)
    }

    private func subscribe(
        _ person: Person, number: Int = 1
    ) async throws -> PushEndpointID {
        let endpoint: PushEndpointID = server.environment.id()
        let url = try #require(URL(string: "https://push.example.org/\(number)"))
        _ = try await server.network.pushSubscriptions.savePushSubscription(
            endpoint, BrowserSubscription(url: url, p256dh: Data([4]), auth: Data([0])),
            of: person.caller)
        return endpoint
    }

    /// Confirms the newest message to the person's browser.
    private func confirm(by person: Person) async throws {
        let delivery: DeliveryID? = try await server.engine.read {
            try $0.value(
                """
                SELECT id FROM deliveries WHERE user_id = $1 AND channel = 'webPush'
                ORDER BY created_at DESC, id LIMIT 1
                """, [.id(person.id)])
        }
        let receipt = ReceiptToken(
            person: person.id.uuid, delivery: try #require(delivery).uuid,
            expiresAt: .distantFuture)
        try await server.network.pushSubscriptions.enterReceipt(
            receipt.text(key: try #require(ServerKey(bytes: Data(repeating: 7, count: 32)))))
    }

    /// Runs a pass and returns the number of its events about Ben to Ada.
    private func eventsOfPass() async throws -> Int {
        try await eventsOfPass(about: ben, to: ada)
    }

    private func eventsOfPass(about contact: Person, to viewer: Person) async throws -> Int {
        _ = server.published.takeReach(to: news)
        let before = server.published.events.count
        _ = try await news.pass(server.network)
        return server.published.events.dropFirst(before).count {
            $0.userID == viewer.id && $0.kind == .contactChanged
                && $0.data.contains("\(contact.id)")
        }
    }

    /// The events of a check without a change. A server that shares its database can't know what
    /// the others have announced.
    private var eventsWithoutAChange: Int { server.engine.isShared ? 1 : 0 }

    @Test func eachReachChangeIsAnEvent() async throws {
        let browser = try await subscribe(ben)
        #expect(try await eventsOfPass() == 1)
        #expect(try await eventsOfPass() == 0)
        server.clock.pass(ReachNews.pause)
        _ = try await server.raiseAlert(ada)
        #expect(try await eventsOfPass() == 0)
        try await confirm(by: ben)
        #expect(try await eventsOfPass() == 1)
        server.clock.pass(ReachNews.pause)
        try await server.network.endpoints.deletePushEndpoint(browser, of: ben.caller)
        #expect(try await eventsOfPass() == 1)
    }

    @Test func lossOfReachIsToldDespiteMuting() async throws {
        for person in [ada, ben] { try await server.muteAll(of: person) }
        let browser = try await subscribe(ben)
        _ = try await eventsOfPass()
        for person in [ada, ben] { _ = try await server.news(of: person) }
        try await server.network.endpoints.deletePushEndpoint(browser, of: ben.caller)
        server.clock.pass(ReachNews.pause)
        _ = try await eventsOfPass()
        #expect(try await server.news(of: ben) == ["Alerts no longer reach you"])
        #expect(try await server.news(of: ada) == ["Ben can't be told of your alerts"])
    }

    @Test func changeOfPingsBeforeALossHidesNoEvent() async throws {
        let browser = try await subscribe(ben)
        #expect(try await eventsOfPass() == 1)
        server.clock.pass(ReachNews.pause)
        _ = try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: [.ping]), of: ben.caller)
        _ = server.published.takeReach(to: news)
        try await server.network.endpoints.deletePushEndpoint(browser, of: ben.caller)
        #expect(try await eventsOfPass() == 1)
    }

    @Test func aSignOutIsAnEvent() async throws {
        _ = try await subscribe(ben)
        #expect(try await eventsOfPass() == 1)
        server.clock.pass(ReachNews.pause)
        try await server.network.signIn.endSession(ben.caller.sessionID, of: ben.caller)
        #expect(try await eventsOfPass() == 1)
    }

    @Test func unchangedReachIsNoEvent() async throws {
        _ = try await subscribe(ben)
        #expect(try await eventsOfPass() == 1)
        server.clock.pass(ReachNews.pause)
        _ = try await subscribe(ben, number: 2)
        #expect(try await eventsOfPass() == eventsWithoutAChange)
    }

    /// A browser that is turned off and on must not cause an event per contact each time.
    @Test func rapidReachChangesAreBatched() async throws {
        var browser = try await subscribe(ben)
        #expect(try await eventsOfPass() == 1)
        for _ in 0..<5 {
            try await server.network.endpoints.deletePushEndpoint(browser, of: ben.caller)
            browser = try await subscribe(ben)
        }
        try await server.network.endpoints.deletePushEndpoint(browser, of: ben.caller)
        server.clock.pass(ReachNews.pause - .milliseconds(1))
        #expect(try await eventsOfPass() == 0)
        server.clock.pass(.milliseconds(1))
        #expect(try await eventsOfPass() == 1)
    }

    /// Before pinging, Ben reads whether Ada's devices announce pings.
    @Test func announcementOfPingsIsAnEventToResponders() async throws {
        let browser = try await subscribe(ada)
        #expect(try await eventsOfPass(about: ada, to: ben) == 1)
        let changes: [(muted: Set<NotificationType>, events: Int)] = [
            ([.ping], 1), ([.ping, .system], 0), ([.system], 1), ([], 0),
        ]
        for (muted, events) in changes {
            server.clock.pass(ReachNews.pause)
            _ = try await server.network.notifications.setPreferences(
                NotificationPreferences(muted: muted), of: ada.caller)
            #expect(try await eventsOfPass(about: ada, to: ben) == events)
            let contact = try await server.contact(ada, seenBy: ben)
            #expect(contact?.hearsPings == !muted.contains(.ping))
        }
        server.clock.pass(ReachNews.pause)
        try await server.network.endpoints.deletePushEndpoint(browser, of: ada.caller)
        #expect(try await eventsOfPass(about: ada, to: ben) == 1)
    }

    /// Cleo only relies on Ada, who isn't her dependent, so she sees nothing of pings.
    @Test func mutedPingsAreNoEventToThoseWhoRely() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(ada, watchesOver: cleo)
        _ = try await subscribe(ada)
        #expect(try await eventsOfPass(about: ada, to: cleo) == 1)
        server.clock.pass(ReachNews.pause)
        _ = try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: [.ping]), of: ada.caller)
        #expect(try await eventsOfPass(about: ada, to: cleo) == eventsWithoutAChange)
    }

    /// Ben has never had a channel, so he can't lose one.
    @Test func mutingPingsIsNoLossOfAChannel() async throws {
        for person in [ada, ben] { _ = try await server.news(of: person) }
        for muted in [Set([NotificationType.ping]), []] {
            server.clock.pass(.days(1))
            _ = try await server.network.notifications.setPreferences(
                NotificationPreferences(muted: muted), of: ben.caller)
            _ = server.published.takeReach(to: news)
            _ = try await news.pass(server.network)
            #expect(try await server.news(of: ben) == [])
            #expect(try await server.news(of: ada) == [])
        }
    }

    /// The removal of the browser waits with the change of the preferences.
    @Test func lossOfAChannelIsToldWithMutedPings() async throws {
        let browser = try await subscribe(ben)
        _ = try await eventsOfPass()
        for person in [ada, ben] { _ = try await server.news(of: person) }
        server.clock.pass(ReachNews.pause)
        try await server.network.endpoints.deletePushEndpoint(browser, of: ben.caller)
        _ = server.published.takeReach(to: news)
        _ = try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: [.ping]), of: ben.caller)
        _ = try await eventsOfPass()
        #expect(try await server.news(of: ben) == ["Alerts no longer reach you"])
    }

    /// The server stopped after the removal of the first browser.
    @Test func lossBeforeACheckForPingsIsToldWithTheNextChange() async throws {
        let silent = "Alerts no longer reach you"
        let browser = try await subscribe(ben)
        _ = try await eventsOfPass()
        try await server.network.endpoints.deletePushEndpoint(browser, of: ben.caller)
        _ = server.published.takeReach(to: news)
        let restarted = ReachNews()
        for muted in [Set([NotificationType.ping]), []] {
            _ = try await server.network.notifications.setPreferences(
                NotificationPreferences(muted: muted), of: ben.caller)
            _ = server.published.takeReach(to: restarted)
            _ = try await restarted.pass(server.network)
            #expect(try await !server.news(of: ben).contains(silent))
            server.clock.pass(ReachNews.pause)
        }
        let second = try await subscribe(ben, number: 2)
        try await server.network.endpoints.deletePushEndpoint(second, of: ben.caller)
        _ = server.published.takeReach(to: restarted)
        _ = try await restarted.pass(server.network)
        #expect(try await server.news(of: ben).contains(silent))
        #expect(try await server.news(of: ada).contains("Ben can't be told of your alerts"))
    }

    @Test func peopleOnBothSidesGetOneEvent() async throws {
        let dan = try await server.person("Dan")
        try await server.connect(dan, watchesOver: ada, mutually: true)
        _ = try await subscribe(ada)
        #expect(try await eventsOfPass(about: ada, to: dan) == 1)
    }

    @Test func endpointFailingForAnHourIsAnEvent() async throws {
        _ = try await subscribe(ben)
        #expect(try await eventsOfPass() == 1)
        _ = try await server.engine.write(about: Subjects([ben.id])) {
            try $0.execute(
                "UPDATE push_subscriptions SET failing_since = $1 WHERE user_id = $2",
                [.date($0.now), .id(ben.id)])
        }
        server.clock.pass(.hours(1) - .milliseconds(1))
        #expect(try await eventsOfPass() == 0)
        server.clock.pass(.milliseconds(1))
        #expect(try await eventsOfPass() == 1)
        #expect(try await server.news(of: ada).contains("Ben can't be told of your alerts"))
    }

    /// The server was down when the endpoint had failed for an hour.
    @Test func firstPassAnnouncesAFailureOnce() async throws {
        let silent = "Ben can't be told of your alerts"
        _ = try await subscribe(ben)
        _ = try await eventsOfPass()
        _ = try await server.engine.write(about: Subjects([ben.id])) {
            try $0.execute(
                "UPDATE push_subscriptions SET failing_since = $1 WHERE user_id = $2",
                [.date($0.now), .id(ben.id)])
        }
        server.clock.pass(.hours(1) - .milliseconds(1))
        _ = try await ReachNews().pass(server.network)
        #expect(try await !server.news(of: ada).contains(silent))
        server.clock.pass(.days(3))
        _ = try await ReachNews().pass(server.network)
        #expect(try await server.news(of: ada).contains(silent))
        server.clock.pass(.days(2))
        _ = try await ReachNews().pass(server.network)
        #expect(try await !server.news(of: ada).contains(silent))
    }

    /// Ben has a second browser that works, so nothing is to be told, and no page reloads.
    @Test func firstPassSkipsReachablePeople() async throws {
        let failing = try await subscribe(ben)
        _ = try await subscribe(ben, number: 2)
        _ = try await eventsOfPass()
        _ = try await server.engine.write(about: Subjects([ben.id])) {
            try $0.execute(
                "UPDATE push_subscriptions SET failing_since = $1 WHERE user_id = $2 AND id = $3",
                [.date($0.now), .id(ben.id), .id(failing)])
        }
        server.clock.pass(.hours(2))
        let before = server.published.events.count
        _ = try await ReachNews().pass(server.network)
        #expect(server.published.events.count == before)
    }

    @Test func lossOfTheLastChannelIsAnnouncedDaily() async throws {
        let mute = try NotificationPreferences(muted: [.system])
        _ = try await server.network.notifications.setPreferences(mute, of: ada.caller)
        let silent = "Ben can't be told of your alerts"
        for (pause, count) in [(Duration.zero, 1), (.hours(23), 1), (.hours(1), 2)] {
            server.clock.pass(pause)
            let browser = try await subscribe(ben)
            _ = try await eventsOfPass()
            try await server.network.endpoints.deletePushEndpoint(browser, of: ben.caller)
            server.clock.pass(ReachNews.pause)
            _ = try await eventsOfPass()
            let items = try await server.network.notifications.notifications(
                of: ada.caller, page: .init())
            #expect(items.count { $0.title == silent } == count)
        }
        let own = try await server.network.notifications.notifications(
            of: ben.caller, page: .init())
        #expect(own.contains { $0.title == "Alerts no longer reach you" })
    }

    /// Ben has an account and no notifications. Mia is a guest, so only START helps her.
    @Test func stopIsToldWithWhatHelps() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        try await server.network.serverLife.wake()
        let news = ReachNews()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let number = try PhoneNumber("+442071838750")
        _ = try await server.network.invitations.invite("Mia", .number(number), by: ada.caller)
        let text = try #require(server.environment.texts(on: number).first)
        let fragment = try #require(text.split(separator: "#").dropFirst().first)
        _ = try await server.network.invitationAnswers.answerInvitation(
            by: String(fragment.prefix { !$0.isWhitespace }), .yes(name: "Mia"))
        _ = server.published.takeReach(to: news)
        _ = try await news.pass(server.network)
        _ = try await server.news(of: ada)
        server.clock.pass(ReachNews.pause)
        for stopped in [number, ben.number] {
            try await server.network.textAnswers.stopTexts(to: stopped)
        }
        _ = server.published.takeReach(to: news)
        _ = try await news.pass(server.network)
        let told = try await server.newsItems(of: ada)
        #expect(
            told.map(\.title).sorted() == [
                "Ben can't be told of your alerts", "Ben has stopped text messages",
                "Mia has stopped text messages",
            ])
        let silent = told.first { $0.title.hasSuffix("can't be told of your alerts") }
        #expect(silent?.body.contains("answer START") == true)
        let guest = told.first { $0.title.hasPrefix("Mia") }
        #expect(guest?.body.contains("Ask them to answer START") == true)
    }

    /// Each of two servers hears only of its own commits.
    @Test func eachLossIsAnnouncedBesideAnotherServer() async throws {
        let network = try server.another()
        let (first, second) = (ReachNews(), ReachNews())
        for count in 1...2 {
            let browser = try await subscribe(ben)
            _ = server.published.takeReach(to: second)
            _ = try await second.pass(network)
            try await server.network.endpoints.deletePushEndpoint(browser, of: ben.caller)
            server.clock.pass(ReachNews.pause)
            _ = server.published.takeReach(to: first)
            let before = server.published.events.count
            _ = try await first.pass(network)
            let events = server.published.events.dropFirst(before)
            #expect(events.contains { $0.userID == ada.id && $0.kind == .contactChanged })
            let items = try await server.network.notifications.notifications(
                of: ada.caller, page: .init())
            #expect(items.count { $0.title == "Ben can't be told of your alerts" } == count)
            server.clock.pass(.days(1))
        }
    }

    // MARK: 90 days

    private func hasSession(_ person: Person) async throws -> Bool {
        try await server.engine.read { try $0.hasSession(person.caller) }
    }

    private func cleanUp() async throws {
        _ = try await server.engine.write(about: .none) { try $0.cleanUp(.sessions, limit: 10) }
    }

    @Test func aReceiptKeepsTheSession() async throws {
        _ = try await subscribe(ben)
        server.clock.pass(.days(60))
        _ = try await server.network.silentEndpoints.testSilentDevices()
        try await confirm(by: ben)
        server.clock.pass(.days(90) - .milliseconds(1))
        try await cleanUp()
        #expect(try await hasSession(ben))
        server.clock.pass(.milliseconds(1))
        try await cleanUp()
        #expect(try await !hasSession(ben))
    }

    /// A push service accepts messages even for a browser that is never opened.
    @Test func onlyTheDeviceItselfKeepsTheSession() async throws {
        let browser = try await subscribe(ben)
        let url = try #require(URL(string: "https://push.example.org/1"))
        server.clock.pass(.days(60))
        var success = EndpointSuccess(browser, of: ben.id, url: url, at: server.clock.now)
        success.kind = .webPush
        try await server.engine.write(about: .none) { [success] in
            try $0.noteEndpointSuccesses([success])
        }
        server.clock.pass(.days(30))
        try await cleanUp()
        #expect(try await !hasSession(ben))
    }

    @Test func workingWebhookKeepsTheSession() async throws {
        let url = try #require(URL(string: "https://hooks.example.org/1"))
        let hook: PushEndpointID = server.environment.id()
        _ = try await server.network.endpoints.savePushEndpoint(
            hook, kind: .webhook, url: url, of: ben.caller)
        server.clock.pass(.days(60))
        let success = EndpointSuccess(hook, of: ben.id, url: url, at: server.clock.now)
        try await server.engine.write(about: .none) { try $0.noteEndpointSuccesses([success]) }
        server.clock.pass(.days(89))
        try await cleanUp()
        #expect(try await hasSession(ben))
    }

    private func warnings(of person: Person) async throws -> [String] {
        try await server.network.reach.warnOfSilence()
        return try await server.network.notifications.notifications(
            of: person.caller, page: .init()
        )
        .map(\.title).filter { $0.hasPrefix("Open LifeSignal") || $0.hasPrefix("Ben may soon") }
    }

    @Test func bothSidesAreWarnedTwice() async throws {
        _ = try await subscribe(ben)
        _ = try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: [.system]), of: ada.caller)
        server.clock.pass(.days(76) - .milliseconds(1))
        #expect(try await warnings(of: ben) == [])
        server.clock.pass(.milliseconds(1))
        for _ in 1...2 {
            #expect(try await warnings(of: ben) == ["Open LifeSignal to stay reachable"])
        }
        #expect(try await warnings(of: ada) == ["Ben may soon miss your alerts"])
        server.clock.pass(.days(11))
        #expect(try await warnings(of: ben).count == 2)
        #expect(try await warnings(of: ada).count == 2)
        server.clock.pass(.days(3))
        try await cleanUp()
        _ = try await eventsOfPass()
        #expect(try await server.news(of: ada).contains("Ben can't be told of your alerts"))
    }

    @Test func aSecondDeviceMakesWarningsNeedless() async throws {
        _ = try await subscribe(ben)
        server.clock.pass(.days(10))
        let second = try await server.signIn(ben.number, as: "Ben", on: "Laptop")
        _ = try await subscribe(second, number: 2)
        server.clock.pass(.days(66))
        #expect(try await warnings(of: ben) == [])
        #expect(try await warnings(of: ada) == [])
    }

    /// Ben's number and address stay when his last device ends. A text can be stopped.
    @Test(arguments: [
        (DeliveryChannel.sms, false, false), (.sms, true, true), (.voice, true, false),
        (.email, true, false),
    ])
    func carrierIsAnotherWay(
        carrier: DeliveryChannel, hasStopped: Bool, isLastWay: Bool
    ) async throws {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = carrier == .voice
            $0.isEmailAvailable = carrier == .email
        })
        try await server.network.serverLife.wake()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let url = try #require(URL(string: "https://hooks.example.org/1"))
        _ = try await server.network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook, url: url, of: ben.caller)
        if carrier == .email { try await server.confirmMail("ben@example.org", of: ben) }
        if hasStopped { try await server.network.textAnswers.stopTexts(to: ben.number) }
        for person in [ada, ben] { _ = try await server.news(of: person) }
        server.clock.pass(.days(76))
        try await server.network.reach.warnOfSilence()
        let told = try await server.newsItems(of: ben)
            .first { $0.title == "Open LifeSignal to stay reachable" }
        #expect(told?.body.hasSuffix("Nothing else reaches you.") == isLastWay)
        let isOwnerTold = try await server.news(of: ada).contains("Ben may soon miss your alerts")
        #expect(isOwnerTold == isLastWay)
    }

    @Test func sessionWithoutEndpointsEndsSilently() async throws {
        server.clock.pass(.days(80))
        #expect(try await warnings(of: ben) == [])
        #expect(try await warnings(of: ada) == [])
    }
}

@Suite struct ToldCountTests {
    private func subscribe(_ person: Person, on server: TestServer) async throws {
        let url = try #require(URL(string: "https://push.example.org/\(person.name)"))
        _ = try await server.network.pushSubscriptions.savePushSubscription(
            server.environment.id(),
            BrowserSubscription(url: url, p256dh: Data([4]), auth: Data([0])), of: person.caller)
    }

    @Test func onlyReachableRespondersCountAsTold() async throws {
        let server = try TestServer()
        try await server.network.serverLife.wake()
        let ada = try await server.armed("Ada")
        let (ben, cleo) = (try await server.person("Ben"), try await server.person("Cleo"))
        let dora = try await server.person("Dora")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        try await server.ask(dora, toWatchOver: ada)
        for person in [ben, dora] { try await subscribe(person, on: server) }
        // After an outage, a server with a shared database waits a minute before it alerts.
        try await server.outage(.hours(24))
        try await server.pass(.minutes(1))
        let told = try await server.newsItems(of: ada).map(\.body)
        #expect(told.contains { $0.contains("1 of your 2 responders is being told.") })
    }

    @Test func unreachableResponderDoesNotCountAsTold() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.raiseAlert(ada)
        #expect(try await server.news(of: ada) == ["Your alert may reach no one"])
        try await server.pass(.minutes(15))
        let body = try await server.newsItems(of: ada).last?.body
        #expect(body?.hasPrefix("No message about your alert") == true)
    }

    @Test func textedResponderCountsAsTold() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.pass(.hours(24))
        #expect(
            try await server.newsItems(of: ada).last?.body.contains("Your responder is being told.")
                == true)
    }
}

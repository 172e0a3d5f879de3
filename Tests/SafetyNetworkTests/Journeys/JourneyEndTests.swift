import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Arrivals and later returns, pressed in time or late, and received at once or late.
@Suite struct JourneyEndTests {
    private let scene: JourneyScene
    private var server: TestServer { scene.server }
    private var ada: Person { scene.ada }
    private var ben: Person { scene.ben }
    private var cleo: Person { scene.cleo }
    private var later: Date { scene.expectedReturn.adding(.hours(1)) }

    init() async throws { scene = try await JourneyScene() }

    // MARK: In time

    @Test func arrivalEndsTheJourney() async throws {
        try await scene.start(to: [ben])
        server.clock.pass(.hours(1))
        #expect(try await scene.arrive().journey == nil)
        #expect(try await server.events(of: ada).last == .profileChanged)
        try await scene.run(at: scene.deadline.adding(.minutes(15)))
        #expect(try await server.alerts(ada).isEmpty)
        for person in [ada, ben, cleo] { #expect(try await scene.news(of: person) == []) }
    }

    @Test func secondArrivalChangesNothing() async throws {
        try await scene.start(tells: true)
        try await scene.arrive()
        try await scene.forgetNews()
        server.clock.pass(.minutes(1))
        #expect(try await scene.arrive().journey == nil)
        #expect(try await scene.news(of: ben) == [])
    }

    @Test func thoseToldOfTheStartHearOfTheRest() async throws {
        try await scene.start(to: [ben], tells: true)
        try await scene.forgetNews()
        try await scene.extend(until: later)
        let extended = try await server.newsItems(of: ben)
        #expect(extended.map(\.title) == ["Ada comes back later: Zugspitze"])
        #expect(extended.first?.body.contains("15:00 UTC") == true)
        try await scene.arrive()
        #expect(try await server.news(of: ben) == ["Ada has arrived: Zugspitze"])
        #expect(try await server.news(of: cleo) == [])
    }

    @Test func sameReturnTellsNoOneAgain() async throws {
        try await scene.start(tells: true)
        try await scene.extend(until: later)
        try await scene.forgetNews()
        try await scene.extend(until: later)
        #expect(try await server.news(of: ben) == [])
    }

    @Test func extensionMovesTheDeadline() async throws {
        try await scene.start()
        server.clock.set(scene.expectedReturn)
        let deadline = later.adding(.minutes(10))
        #expect(try await scene.extend(until: later).journey?.deadline == deadline)
        try await scene.run(at: deadline.aMillisecondBefore)
        #expect(try await server.alerts(ada).isEmpty)
        try await server.pass(.milliseconds(1))
        #expect(try await server.openAlert(ada)?.deadline == later)
    }

    @Test(arguments: [
        (Duration.zero, false), (.milliseconds(1), true), (.days(7), true),
        (.days(7) + .milliseconds(1), false),
    ])
    func newReturnIsAtMost7DaysAhead(ahead: Duration, isAccepted: Bool) async throws {
        try await scene.start()
        server.clock.pass(.hours(1))
        let time = server.clock.now.adding(ahead)
        let error = await refusal { try await scene.extend(until: time) }
        #expect(error?.field == (isAccepted ? nil : "expectedReturn"))
        #expect(
            try await scene.journey()?.expectedReturn
                == (isAccepted ? time : scene.expectedReturn))
    }

    // MARK: After the alert

    @Test func arrivalEndsTheAlertAndTellsItsReaders() async throws {
        try await scene.start(to: [ben])
        let alert = try await scene.becomeOverdue()
        try await scene.forgetNews()
        server.clock.pass(.minutes(2))
        try await scene.arrive()
        let ended = try await server.alert(alert, seenBy: ben)
        #expect(!ended.isActive && ended.endTime == scene.deadline.adding(.minutes(2)))
        let items = try await server.newsItems(of: ben)
        #expect(items.map(\.title) == ["Ada has arrived: Zugspitze"])
        #expect(items.first?.alertID == (try alert.typedID))
        #expect(items.first?.body.contains("14:12 UTC") == true)
        #expect(try await server.news(of: cleo) == [])
        #expect(try await server.profile(ada).status == .active)
    }

    @Test func arrivalReachesAllWhoWereTold() async throws {
        try await scene.start(to: [ben])
        try await scene.becomeOverdue()
        try await scene.run(at: scene.deadline.adding(.minutes(15)))
        try await scene.forgetNews()
        try await scene.arrive()
        for person in [ben, cleo] {
            #expect(try await server.news(of: person) == ["Ada has arrived: Zugspitze"])
        }
    }

    @Test func extensionEndsTheAlert() async throws {
        try await scene.start(to: [ben])
        let alert = try await scene.becomeOverdue()
        try await scene.forgetNews()
        let profile = try await scene.extend(until: later)
        #expect(profile.journey?.expectedReturn == later && profile.journey?.alertId == nil)
        #expect(try await !server.alert(alert, seenBy: ben).isActive)
        #expect(try await server.news(of: ben) == ["Ada comes back later: Zugspitze"])
        #expect(try await server.news(of: cleo) == [])
        // If Ada doesn't come back again, a new alert begins with the chosen.
        try await scene.run(at: later.adding(.minutes(10)))
        let second = try #require(try await server.openAlert(ada))
        #expect(second.id != alert.id)
        #expect(try await scene.alarms(of: ben) == [JourneyScene.overdue])
        #expect(try await server.news(of: cleo) == [])
        try await scene.run(at: later.adding(.minutes(25)))
        #expect(try await scene.alarms(of: cleo).count == 1)
    }

    /// Ben wasn't told of the start. The alert told him that Ada is overdue.
    @Test(arguments: [true, false])
    func readersOfTheAlertHearOfTheArrival(isAlerted: Bool) async throws {
        try await scene.start(to: [ben])
        if isAlerted { try await scene.becomeOverdue() }
        try await scene.forgetNews()
        try await scene.extend(until: later)
        let body = try await server.newsItems(of: ben).first?.body
        #expect(body?.hasSuffix("The alert has ended.") == (isAlerted ? true : nil))
        for (minutes, title) in [(30, "Ada comes back later"), (60, "Ada has arrived")] {
            server.clock.pass(.minutes(1))
            if title == "Ada has arrived" {
                try await scene.arrive()
            } else {
                try await scene.extend(until: later.adding(.minutes(minutes)))
            }
            let news = try await server.news(of: ben)
            #expect(news == (isAlerted ? ["\(title): Zugspitze"] : []))
            #expect(try await server.news(of: cleo) == [])
        }
    }

    /// Cleo was told of the first alert only.
    @Test(arguments: ["Ada comes back later", "Ada has arrived"])
    func endOfASecondAlertReachesReadersOfTheFirst(title: String) async throws {
        try await scene.start(to: [ben])
        try await scene.becomeOverdue()
        try await scene.run(at: scene.deadline.adding(.minutes(15)))
        try await scene.extend(until: later)
        try await scene.run(at: later.adding(.minutes(10)))
        try await scene.forgetNews()
        server.clock.pass(.minutes(1))
        if title == "Ada has arrived" {
            try await scene.arrive()
        } else {
            try await scene.extend(until: later.adding(.hours(1)))
        }
        for (person, ends) in [(ben, true), (cleo, false)] {
            let news = try await server.newsItems(of: person)
            #expect(news.map(\.title) == ["\(title): Zugspitze"])
            #expect(news.first?.body.hasSuffix("The alert has ended.") == ends)
        }
    }

    /// The alert of an earlier journey says nothing about the next one.
    @Test func nextJourneyHasNoEarlierReaders() async throws {
        try await scene.start(to: [ben])
        try await scene.becomeOverdue()
        server.clock.pass(.minutes(1))
        try await scene.arrive()
        server.clock.pass(.minutes(1))
        try await scene.forgetNews()
        let draft = scene.draft(
            server.environment.id(), return: server.clock.now.adding(.hours(1)), to: [ben])
        try await scene.start(draft)
        _ = try await server.network.journeys.end(
            draft.id, pressedAt: server.clock.now, of: ada.caller)
        #expect(try await server.news(of: ben) == [])
    }

    /// The chosen come first again, though all knew of the first alert.
    @Test func extensionAfterTheWideningStartsWithTheChosen() async throws {
        try await scene.start(to: [ben])
        try await scene.becomeOverdue()
        try await scene.run(at: scene.deadline.adding(.minutes(15)))
        try await scene.extend(until: later)
        try await scene.forgetNews()
        try await scene.run(at: later.adding(.minutes(10)))
        #expect(try await scene.alarms(of: ben) == [JourneyScene.overdue])
        #expect(try await scene.alarms(of: cleo) == [])
    }

    // MARK: Late presses

    @Test func lateArrivalSaysBothTimes() async throws {
        try await scene.start()
        try await scene.becomeOverdue()
        try await scene.forgetNews()
        server.clock.pass(.minutes(20))
        try await scene.arrive(pressedAt: scene.expectedReturn.adding(.minutes(-5)))
        let body = try #require(try await server.newsItems(of: ben).first?.body)
        #expect(body.contains("13:55 UTC") && body.contains("14:30 UTC"))
        let alert = try #require(try await server.alerts(ben).first)
        #expect(!alert.isActive && alert.endTime == scene.deadline.adding(.minutes(20)))
    }

    @Test func promptArrivalSaysOneTime() async throws {
        try await scene.start()
        try await scene.becomeOverdue()
        try await scene.forgetNews()
        server.clock.pass(.minutes(20))
        try await scene.arrive()
        let body = try #require(try await server.newsItems(of: ben).first?.body)
        #expect(body.contains("14:30 UTC") && !body.contains("received"))
    }

    @Test func lateExtensionSaysBothTimes() async throws {
        try await scene.start()
        try await scene.becomeOverdue()
        try await scene.forgetNews()
        server.clock.pass(.minutes(20))
        try await scene.extend(
            until: later, pressedAt: scene.expectedReturn.adding(.minutes(-5)))
        let body = try #require(try await server.newsItems(of: ben).first?.body)
        #expect(body.contains("15:00 UTC"))
        #expect(body.contains("13:55 UTC") && body.contains("14:30 UTC"))
        #expect(try await server.openAlert(ada) == nil)
    }

    /// The phone was offline until after the new return, and Ada still hasn't arrived.
    @Test func extensionIntoThePastKeepsTheAlert() async throws {
        try await scene.start()
        let alert = try await scene.becomeOverdue()
        let deadline = later.adding(.minutes(10))
        try await scene.run(at: deadline)
        try await scene.extend(
            until: later, pressedAt: scene.expectedReturn.adding(.minutes(-5)))
        try await server.pass(.seconds(1))
        #expect(try await server.openAlert(ada)?.id == alert.id)
        #expect(try await scene.journey()?.expectedReturn == later)
        #expect(try await scene.journey()?.alertId?.description == alert.id)
        try await scene.arrive()
        #expect(try await server.openAlert(ada) == nil)
    }

    @Test func extensionJustBeforeItsDeadlineEndsTheAlert() async throws {
        try await scene.start()
        let alert = try await scene.becomeOverdue()
        let deadline = later.adding(.minutes(10))
        try await scene.run(at: deadline.aMillisecondBefore)
        try await scene.extend(
            until: later, pressedAt: scene.expectedReturn.adding(.minutes(-5)))
        #expect(try await !server.alert(alert, seenBy: ada).isActive)
        try await server.pass(.milliseconds(1))
        #expect(try await server.openAlert(ada)?.deadline == later)
    }

    /// No server was there to open the first alert.
    @Test func extensionIntoThePastLeadsToAnAlert() async throws {
        try await scene.start()
        server.clock.set(later.adding(.minutes(10)))
        try await scene.extend(
            until: later, pressedAt: scene.expectedReturn.adding(.minutes(-5)))
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(try await server.openAlert(ada)?.deadline == later)
    }

    /// With a clock that is an hour fast, the press counts by its age.
    @Test func wrongDeviceClockIsCorrected() async throws {
        try await scene.start()
        try await scene.becomeOverdue()
        try await scene.forgetNews()
        server.clock.pass(.minutes(20))
        let now = server.clock.now
        try await scene.arrive(
            pressedAt: now.adding(.minutes(25)), sentAt: now.adding(.hours(1)))
        let body = try #require(try await server.newsItems(of: ben).first?.body)
        #expect(body.contains("13:55 UTC") && body.contains("14:30 UTC"))
    }

    /// A phone without a connection sends an older choice after the browser has sent a newer one.
    @Test func olderPressThatArrivesLaterChangesNothing() async throws {
        try await scene.start()
        server.clock.pass(.hours(1))
        let pressed = server.clock.now
        try await scene.extend(until: later, pressedAt: pressed)
        let older = pressed.adding(.milliseconds(-1))
        try await scene.extend(until: later.adding(.days(2)), pressedAt: older)
        #expect(try await scene.journey()?.expectedReturn == later)
        try await scene.extend(until: later.adding(.hours(1)), pressedAt: pressed)
        #expect(try await scene.journey()?.expectedReturn == later.adding(.hours(1)))
    }

    /// The phone was offline, and adds 30 minutes to the return from before the browser's.
    @Test(arguments: [(true, 0), (false, -30)])
    func moreTimeNeverMovesTheReturnEarlier(isLater: Bool, minutes: Int) async throws {
        try await scene.start(tells: true)
        server.clock.pass(.minutes(1))
        try await scene.extend(until: later)
        try await scene.forgetNews()
        server.clock.pass(.minutes(1))
        let stale = later.adding(.minutes(-30))
        try await scene.extend(until: stale, isLater: isLater)
        #expect(try await scene.journey()?.expectedReturn == later.adding(.minutes(minutes)))
        #expect(
            try await server.news(of: ben)
                == (isLater ? [] : ["Ada comes back earlier: Zugspitze"]))
        try await scene.extend(until: later.adding(.milliseconds(1)), isLater: isLater)
        #expect(try await scene.journey()?.expectedReturn == later.adding(.milliseconds(1)))
        #expect(try await server.news(of: ben) == ["Ada comes back later: Zugspitze"])
    }

    /// A phone without a connection sends "I have arrived", pressed by mistake, after the browser
    /// has sent a later return.
    @Test(arguments: [(Duration.seconds(30), true), (.seconds(30) + .milliseconds(1), false)])
    func arrivalBeforeTheChosenReturnChangesNothing(lead: Duration, ends: Bool) async throws {
        try await scene.start(tells: true)
        server.clock.pass(.hours(1))
        let pressed = server.clock.now
        try await scene.extend(until: later, pressedAt: pressed)
        try await scene.forgetNews()
        server.clock.pass(.minutes(10))
        try await scene.arrive(pressedAt: pressed.adding(.zero - lead))
        #expect(try await scene.journey()?.expectedReturn == (ends ? nil : later))
        #expect(
            try await server.news(of: ben) == (ends ? ["Ada has arrived: Zugspitze"] : []))
        try await scene.run(at: later.adding(.minutes(10)))
        #expect(try await (server.openAlert(ada) == nil) == ends)
    }

    /// A phone that doesn't know the browser's return adds 30 minutes to an older one. The return
    /// stays.
    @Test(arguments: [(Duration.seconds(30), true), (.seconds(30) + .milliseconds(1), false)])
    func arrivalBeforeAStaleExtensionChangesNothing(lead: Duration, ends: Bool) async throws {
        try await scene.start(tells: true)
        server.clock.pass(.hours(1))
        try await scene.extend(until: later)
        server.clock.pass(.minutes(10))
        let pressed = server.clock.now
        try await scene.forgetNews()
        let stale = later.adding(.minutes(-5))
        try await scene.extend(until: stale, isLater: true, pressedAt: pressed)
        #expect(try await scene.journey()?.expectedReturn == later)
        #expect(try await server.news(of: ben) == [])
        server.clock.pass(.minutes(10))
        try await scene.arrive(pressedAt: pressed.adding(.zero - lead))
        #expect(try await scene.journey()?.expectedReturn == (ends ? nil : later))
    }

    /// The phone's clock is 100 seconds slow, which the server doesn't correct.
    @Test func arrivalSentAtOnceCountsByASlowClock() async throws {
        try await scene.start()
        server.clock.pass(.hours(1))
        try await scene.extend(until: later)
        server.clock.pass(.seconds(20))
        let slow = server.clock.now.adding(.seconds(-100))
        #expect(try await scene.arrive(pressedAt: slow, sentAt: slow).journey == nil)
    }

    /// The phone's clock is 100 seconds slow. The press counts by the time from it to its sending.
    /// - Parameter lead: how long it was pressed before the browser's return.
    @Test(arguments: [(Duration.zero, true), (.milliseconds(1), false)])
    func laterReturnCountsByASlowClock(lead: Duration, counts: Bool) async throws {
        try await scene.start()
        server.clock.pass(.hours(1))
        try await scene.extend(until: later)
        server.clock.pass(.seconds(20))
        let slow = server.clock.now.adding(.seconds(-100))
        let time = later.adding(.minutes(30))
        let profile = try await scene.extend(
            until: time, isLater: true, pressedAt: slow.adding(.seconds(-20) - lead), sentAt: slow)
        #expect(profile.journey?.expectedReturn == (counts ? time : later))
    }

    /// The return that a slow phone sends at once was chosen at its receipt.
    @Test(arguments: [(Duration.seconds(30), true), (.seconds(30) + .milliseconds(1), false)])
    func arrivalBeforeAReturnOfASlowClockChangesNothing(lead: Duration, ends: Bool) async throws {
        try await scene.start()
        server.clock.pass(.hours(1))
        try await scene.extend(until: later)
        server.clock.pass(.seconds(20))
        let (pressed, slow) = (server.clock.now, server.clock.now.adding(.seconds(-100)))
        let time = later.adding(.minutes(30))
        try await scene.extend(until: time, isLater: true, pressedAt: slow, sentAt: slow)
        server.clock.pass(.minutes(10))
        try await scene.arrive(pressedAt: pressed.adding(.zero - lead))
        #expect(try await scene.journey()?.expectedReturn == (ends ? nil : time))
    }

    /// Without the device's time at the sending, its clock can't be corrected.
    @Test func pressInTheFutureCountsAsNow() async throws {
        try await scene.start()
        server.clock.pass(.hours(1))
        let future = server.clock.now.adding(.days(1))
        try await scene.extend(until: later, pressedAt: future)
        #expect(try await scene.journey()?.expectedReturn == later)
        #expect(try await scene.arrive(pressedAt: future).journey == nil)
    }

    @Test func pressBeforeTheStartCountsAsTheStart() async throws {
        try await scene.start()
        try await scene.extend(until: later, pressedAt: noon.adding(.hours(-1)))
        #expect(try await scene.journey()?.expectedReturn == later)
    }

    /// The phone was offline during an outage. It sends the later return first, then the arrival.
    @Test(arguments: [true, false])
    func extensionIntoThePastKeepsTheGrace(hasArrived: Bool) async throws {
        try await scene.start()
        try await server.outage(.hours(5))
        try await scene.extend(until: later, pressedAt: noon.adding(.minutes(90)))
        try await server.pass(.minutes(1) - .milliseconds(1))
        #expect(try await server.alerts(ada).isEmpty)
        if hasArrived { try await scene.arrive(pressedAt: later.adding(.minutes(-5))) }
        try await server.pass(.milliseconds(1))
        #expect(try await server.openAlert(ada)?.deadline == (hasArrived ? nil : later))
    }

    @Test func lateExtensionIntoThePastIsASignOfLife() async throws {
        try await scene.start()
        try await scene.becomeOverdue()
        try await scene.forgetNews()
        server.clock.pass(.hours(1))
        let pressed = scene.deadline.adding(.minutes(-5))
        try await scene.extend(until: pressed.adding(.minutes(20)), pressedAt: pressed)
        #expect(try await server.openAlert(ada) != nil)
        let news = try await server.newsItems(of: ben).first {
            $0.title == "Ada comes back later: Zugspitze"
        }
        #expect(news?.body.hasSuffix("This time has passed, so the alert goes on.") == true)
    }

    @Test func lateExtensionAfterTheArrivalChangesNothing() async throws {
        try await scene.start(tells: true)
        server.clock.pass(.hours(1))
        try await scene.arrive()
        try await scene.forgetNews()
        _ = await refusal {
            try await scene.extend(until: later, pressedAt: noon.adding(.minutes(30)))
        }
        #expect(try await scene.journey() == nil)
        #expect(try await server.news(of: ben) == [])
        try await scene.run(at: later.adding(.minutes(10)))
        #expect(try await server.alerts(ada).isEmpty)
    }

    // MARK: The end of the account

    private static let goodbye =
        "Ada has left LifeSignal: Ada deleted the account and is no longer your contact."

    private func goodbyes(to person: Person) async throws -> [String] {
        try await scene.news(of: person).filter { $0.hasPrefix("Ada has left") }
    }

    /// All have muted the end of relations. Only Ben was told of the journey, and Ada is Dora's
    /// responder.
    @Test func goodbyeNamesTheReturnDespiteMuting() async throws {
        let dora = try await server.person("Dora")
        try await server.connect(ada, watchesOver: dora)
        for person in [ben, cleo, dora] {
            let muted = try NotificationPreferences(muted: [.contactRemoved])
            _ = try await server.network.notifications.setPreferences(muted, of: person.caller)
        }
        try await scene.start(to: [ben], tells: true)
        try await scene.forgetNews()
        try await server.deleteAccount(ada)
        let awaited =
            " They wanted to be back at 14:00 UTC. LifeSignal no longer tells you if they are late."
        #expect(try await goodbyes(to: ben) == [Self.goodbye + awaited])
        #expect(try await goodbyes(to: cleo) == [Self.goodbye])
        #expect(try await goodbyes(to: dora) == [Self.goodbye])
    }

    /// Ada has arrived, or hasn't told Ben of the journey.
    @Test(arguments: [true, false])
    func goodbyeNamesOnlyAnAwaitedReturn(hasArrived: Bool) async throws {
        try await scene.start(tells: hasArrived)
        if hasArrived { try await scene.arrive() }
        try await scene.forgetNews()
        try await server.deleteAccount(ada)
        #expect(try await goodbyes(to: ben) == [Self.goodbye])
    }

    // MARK: Others

    @Test func otherPeoplesJourneyIsNotFound() async throws {
        let record = try await scene.start(tells: true)
        for person in [ben, cleo, try await server.person("Dora")] {
            let errors = [
                await refusal { try await scene.arrive(by: person) },
                await refusal { try await scene.extend(until: later, by: person) },
            ]
            #expect(errors.allSatisfy { $0?.isNotFound == true })
        }
        #expect(try await scene.journey() == record)
    }

    @Test func unknownJourneyIsNotFound() async throws {
        #expect(await refusal { try await scene.arrive() }?.isNotFound == true)
        #expect(await refusal { try await scene.extend(until: later) }?.isNotFound == true)
    }

    /// A phone without a connection sends the end of the first journey during the second one.
    @Test func earlierJourneysPressChangesNothing() async throws {
        try await scene.start()
        try await scene.arrive()
        let second = try await scene.start(scene.draft(server.environment.id()))
        #expect(await refusal { try await scene.arrive() }?.isNotFound == true)
        #expect(await refusal { try await scene.extend(until: later) }?.isNotFound == true)
        #expect(try await scene.journey() == second)
    }

    /// Both are overdue. Ada's arrival says nothing about Ben.
    @Test func arrivalEndsOnlyTheOwnAlert() async throws {
        try await scene.start()
        let own = scene.draft(server.environment.id())
        _ = try await server.network.journeys.start(own, of: ben.caller)
        try await scene.run(at: scene.deadline)
        #expect(try await server.alerts(ada).filter(\.isActive).count == 2)
        try await scene.arrive()
        let open = try await server.alerts(ada).filter(\.isActive)
        #expect(open.map(\.userId) == [ben.id.description])
        #expect(try await server.profile(ben).journey?.alertId?.description == open.first?.id)
    }
}

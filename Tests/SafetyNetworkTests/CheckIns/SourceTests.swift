import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Ada has a button, and Ben watches over her (product.md, "Sources").
@Suite struct SourceTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let button: NewSource

    init() async throws {
        server = try TestServer()
        (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        button = try await server.network.sources.add("Kitchen button", of: ada.caller)
        server.clock.pass(.hours(1))
    }

    private func secret(_ source: NewSource) -> String { source.address.lastPathComponent }

    @discardableResult
    private func press(_ source: NewSource? = nil) async throws -> String {
        try await server.network.sources.checkIn(bySource: secret(source ?? button))
    }

    private func sources(of person: Person) async throws -> [CheckInSource] {
        try await server.network.sources.sources(of: person.caller)
    }

    // MARK: The list

    @Test func addressHasASecretThatIsNotStored() async throws {
        #expect(
            button.address.absoluteString == "https://lifesignal.example/s/\(secret(button))")
        #expect(secret(button).utf8.count == 43)
        let hash = try #require(Token(secret(button))).hash
        let stored = try await server.engine.read { [ada] in
            try $0.source(hash: hash, of: ada.id)
        }
        #expect(stored?.source == button.source)
    }

    @Test func personHasAtMostTenSources() async throws {
        for number in 2...10 {
            _ = try await server.network.sources.add("Button \(number)", of: ada.caller)
        }
        let error = await refusal {
            try await server.network.sources.add("Button 11", of: ada.caller)
        }
        #expect(error?.field == "name" && error?.reason == .sourcesFull)
        #expect(try await sources(of: ada).count == 10)
        try await server.network.sources.remove(button.source.id, of: ada.caller)
        _ = try await server.network.sources.add("Button 11", of: ada.caller)
        #expect(try await sources(of: ada).count == 10)
    }

    @Test func badNameIsRefused() async throws {
        let error = await refusal { try await server.network.sources.add(" ", of: ada.caller) }
        #expect(error?.field == "name" && error?.reason == nil)
        #expect(try await sources(of: ada).map(\.name) == ["Kitchen button"])
    }

    @Test func sourcesAreTheirOwnersOnly() async throws {
        #expect(try await sources(of: ben).isEmpty)
        let error = await refusal {
            try await server.network.sources.remove(button.source.id, of: ben.caller)
        }
        #expect(error?.isNotFound == true)
        #expect(try await sources(of: ada) == [button.source])
    }

    @Test func repeatedRequestReplacesTheLostAddress() async throws {
        let key = server.environment.makeID()
        let first = try await server.network.sources.add("Tag", of: ada.caller, key: key)
        let second = try await server.network.sources.add("Tag", of: ada.caller, key: key)
        #expect(second.source == first.source && second.address != first.address)
        #expect(try await sources(of: ada).count == 2)
        #expect(await refusal { try await press(first) }?.isNotFound == true)
        try await press(second)
        let late = await refusal {
            try await server.network.sources.add("Tag", of: ada.caller, key: key)
        }
        #expect(late?.isAlreadyExists == true)
        try await server.network.sources.remove(first.source.id, of: ada.caller)
        let afterRemoval = await refusal {
            try await server.network.sources.add("Tag", of: ada.caller, key: key)
        }
        #expect(afterRemoval?.isNotFound == true)
    }

    @Test(arguments: [false, true])
    func repeatAfterItsKeyWasForgottenIsARepeat(isInUse: Bool) async throws {
        let key = server.environment.makeID()
        let first = try await server.network.sources.add("Tag", of: ada.caller, key: key)
        if isInUse { try await press(first) }
        _ = try await server.engine.write(about: .none) { [ada] in
            try $0.execute("DELETE FROM request_keys WHERE user_id = $1", [.id(ada.id)])
        }
        guard isInUse else {
            let second = try await server.network.sources.add("Tag", of: ada.caller, key: key)
            #expect(second.source == first.source && second.address != first.address)
            #expect(try await sources(of: ada).count == 2)
            return
        }
        let late = await refusal {
            try await server.network.sources.add("Tag", of: ada.caller, key: key)
        }
        #expect(late?.isAlreadyExists == true)
    }

    @Test func removedSourceNoLongerChecksIn() async throws {
        try await press()
        try await server.network.sources.remove(button.source.id, of: ada.caller)
        #expect(try await sources(of: ada).isEmpty)
        server.clock.pass(.minutes(1))
        #expect(await refusal { try await press() }?.isNotFound == true)
        #expect(try await server.history(of: ada).first?.source == "Kitchen button")
    }

    @Test func deletedAccountLeavesNoSource() async throws {
        try await server.deleteAccount(ada)
        #expect(await refusal { try await press() }?.isNotFound == true)
    }

    // MARK: Checking in

    @Test func sourceChecksInAndIsNamed() async throws {
        let answer = try await press()
        let due = server.clock.now.adding(.hours(24))
        let time = Timestamp.clockTime(due, in: nil, at: server.clock.now)
        #expect(answer == "Recorded. Next check-in by \(time).")
        #expect(try await server.history(of: ada).map(\.source) == ["Kitchen button", nil])
        #expect(try await server.profile(ada).nextCheckInTime == due)
        #expect(try await sources(of: ada).first?.lastUsedAt == server.clock.now)
    }

    @Test func answerIsInTheOwnersTimeZone() async throws {
        await server.network.timeZones.noteTimeZone("Europe/Berlin", of: ada.caller)
        #expect(try await press().contains("14:00 CET"))
    }

    @Test func sourceEndsAMissedCheckIn() async throws {
        try await server.pass(.hours(23))
        #expect(try await server.openAlert(ada) != nil)
        try await press()
        #expect(try await server.openAlert(ada) == nil)
    }

    @Test func sourceAnswersPings() async throws {
        let ping = try await server.ping(ada, by: ben)
        try await press()
        let pings = try await server.network.pings.pings(of: ben.caller, page: Page())
        #expect(pings.first { $0.id == ping.id }?.state == .answered)
    }

    @Test func sourceKeepsThePause() async throws {
        let end = server.clock.now.adding(.days(2))
        _ = try await server.network.pauses.pause(until: end, of: ada.caller)
        server.clock.pass(.hours(1))
        try await press()
        #expect(try await server.profile(ada).pause?.until == end)
    }

    @Test func sourceKeepsAManualAlert() async throws {
        try await server.raiseAlert(ada)
        try await press()
        #expect(try await server.openAlert(ada)?.kind == .manual)
    }

    @Test func answerSaysThatTheWindowIsClosed() async throws {
        // At 13:00 on Sunday. The window of Monday, 10:00, opens at 4:00.
        try await server.setPlan(.dailyUntil10, of: ada)
        #expect(try await press().contains("opens at 04:00 UTC"))
    }

    @Test func secondUseInAMinuteChangesNothing() async throws {
        try await press()
        let used = server.clock.now
        server.clock.set(used.adding(.minutes(1)).aMillisecondBefore)
        #expect(await refusal { try await press() } == .rateLimited(retryAfter: .milliseconds(1)))
        #expect(try await server.history(of: ada).count == 2)
        #expect(try await sources(of: ada).first?.lastUsedAt == used)
        server.clock.set(used.adding(.minutes(1)))
        try await press()
        #expect(try await server.history(of: ada).count == 3)
    }

    @Test func sourcesHaveSeparateLimits() async throws {
        let tag = try await server.network.sources.add("Door tag", of: ada.caller)
        try await press()
        server.clock.pass(.seconds(11))
        try await press(tag)
        #expect(
            try await server.history(of: ada).map(\.source) == ["Door tag", "Kitchen button", nil])
    }

    @Test(arguments: ["", "x", String(repeating: "A", count: 43)])
    func unknownSecretIsNotFound(secret: String) async throws {
        let error = await refusal { try await server.network.sources.checkIn(bySource: secret) }
        #expect(error?.isNotFound == true)
        #expect(try await server.history(of: ada).count == 1)
    }

    /// Beyond a rate limit, requests wait in a queue of their own.
    @Test func floodDoesNotHoldUpOtherUses() async throws {
        let limit = CommandError.rateLimited(retryAfter: .seconds(1))
        let lookUps = server.network.sources.core.lookUps
        let (stop, go) = AsyncStream.makeStream(of: Void.self)
        let flood = (0...Core.mostLookUps).map { _ in
            Task { await lookUps.run { for await _ in stop { break } } }
        }
        while lookUps.waitingCount < Core.mostLookUps { await Task.yield() }
        let error = await refusal {
            try await server.network.sources.checkIn(
                bySource: secret(button), unlessRefused: limit)
        }
        #expect(error == limit)
        let answer = try? await press()
        #expect(answer?.hasPrefix("Recorded.") == true)
        go.finish()
        for task in flood { await task.value }
        #expect(try await sources(of: ada).first?.lastUsedAt == server.clock.now)
    }

    // MARK: Notices

    @Test func newSourceIsAnnouncedOnOtherDevices() async throws {
        let tablet = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        _ = try await server.news(of: ada)
        let tag = try await server.network.sources.add("Door tag", of: tablet.caller)
        let added = try await server.newsItems(of: ada)
        #expect(added.map(\.title) == ["A source can check in for you"])
        #expect(added.first?.body.hasPrefix("“Door tag” was added.") == true)
        try await server.network.sources.remove(tag.source.id, of: tablet.caller)
        #expect(try await server.news(of: ada) == ["A source was removed"])
        #expect(try await server.news(of: ben) == [])
    }

    /// The effect of a source outlives the session, even if that is the only one.
    @Test func eachNewSourceIsAnnouncedOnTheOnlyDevice() async throws {
        let title = "A source can check in for you"
        #expect(try await added(title) == 1)
        _ = try await server.network.sources.add("Door tag", of: ada.caller)
        #expect(try await added(title) == 2)
    }

    /// E-mail links to the end of the session, and a later device offers it.
    @Test func newsOfASourceOnTheOnlyDeviceNamesItsSession() async throws {
        let news = try await server.newsItems(of: ada)
        let added = news.filter { $0.title == "A source can check in for you" }
        #expect(added.map(\.sessionID) == [ada.caller.sessionID])
        let shown = try #require(added.first?.shown(to: ada.caller.sessionID))
        #expect(shown.sessionID == nil)
    }

    /// A source's id is the key of the request that added it, and every session can read it.
    @Test func eachNewAddressIsAnnounced() async throws {
        let tablet = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        let tag = try await server.network.sources.add(
            "Door tag", of: ada.caller, key: server.environment.makeID())
        _ = try await server.news(of: ada)
        let key = tag.source.id.uuid
        _ = try await server.network.sources.add("Door tag", of: tablet.caller, key: key)
        let told = try await server.newsItems(of: ada)
        #expect(told.map(\.title) == ["A source has a new address"])
        #expect(told.first?.body.hasPrefix("“Door tag” now checks in") == true)
        _ = try await server.network.sources.add("Door tag", of: ada.caller, key: key)
        #expect(try await server.news(of: ada) == ["A source has a new address"])
    }

    @Test func refusedRepeatIsNotAnnounced() async throws {
        let tag = try await server.network.sources.add(
            "Door tag", of: ada.caller, key: server.environment.makeID())
        try await press(tag)
        _ = try await server.news(of: ada)
        let error = await refusal {
            try await server.network.sources.add(
                "Door tag", of: ada.caller, key: tag.source.id.uuid)
        }
        #expect(error?.isAlreadyExists == true)
        #expect(try await server.news(of: ada).isEmpty)
    }

    @Test func repeatedRemovalsAreAnnouncedOnceInTenMinutes() async throws {
        let tablet = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        let title = "A source was removed"
        for (name, count) in [("Tag 1", 1), ("Tag 2", 1), ("Tag 3", 2)] {
            if count == 2 { server.clock.pass(.minutes(10)) }
            let tag = try await server.network.sources.add(name, of: tablet.caller)
            try await server.network.sources.remove(tag.source.id, of: tablet.caller)
            #expect(try await added(title) == count)
        }
    }

    /// Returns the number of notifications with this title, without deleting them.
    private func added(_ title: String) async throws -> Int {
        try await server.network.notifications.notifications(
            of: ada.caller, page: Page(limit: 200)
        ).count { $0.title == title }
    }

    /// Presses the button at the same time on each of these days.
    private func press(onDays days: ClosedRange<Int>) async throws {
        let start = server.clock.now
        for day in days {
            server.clock.set(start.adding(.days(day)))
            try await press()
        }
        _ = try await server.news(of: ada)
    }

    private func tell() async throws -> [String] {
        _ = try await server.network.sources.tellOfSilence()
        return try await server.news(of: ada)
    }

    @Test func ownerIsToldOnceOfSilence() async throws {
        try await press(onDays: 0...5)
        let last = server.clock.now
        server.clock.set(last.adding(.days(7)).aMillisecondBefore)
        #expect(try await tell() == [])
        server.clock.set(last.adding(.days(7)))
        #expect(try await tell() == ["“Kitchen button” has not checked in for 7 days"])
        #expect(try await tell() == [])
        #expect(try await server.news(of: ben) == [])
    }

    @Test func useEndsTheSilence() async throws {
        try await press(onDays: 0...5)
        server.clock.pass(.days(6))
        try await press()
        server.clock.pass(.days(1))
        #expect(try await tell() == [])
    }

    @Test func nextHabitIsToldAgain() async throws {
        for _ in 1...2 {
            try await press(onDays: 1...6)
            server.clock.pass(.days(7))
            #expect(try await tell() == ["“Kitchen button” has not checked in for 7 days"])
        }
    }

    @Test func rareUseIsNotMissed() async throws {
        try await press(onDays: 0...4)
        server.clock.pass(.days(30))
        #expect(try await tell() == [])
    }
}

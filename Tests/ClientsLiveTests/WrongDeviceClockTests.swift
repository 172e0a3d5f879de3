import API
import Clients
import ComposableArchitecture
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// A check-in counts even with a wrong device clock.
@Suite(.timeLimit(.minutes(5))) struct WrongDeviceClockTests {
    @Test func checkInFromAClockADayBehindMovesTheDeadline() async throws {
        let app = try TestApp(.memory)
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        _ = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: app.time.now)
        app.time.pass(.hours(1))
        let wrong = app.time.now.addingTimeInterval(-26 * 3600)
        let answer = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: wrong)
        let record = try #require(answer.confirmed)
        #expect(record.occurredAt == app.time.now)
        #expect(record.nextCheckInTime == app.time.now.adding(.hours(24)))
        await home.clients.stop()
    }

    @Test(arguments: [-25 * 60, -49, 49, 25 * 60]) func immediateCheckInCountsFromItsReceipt(
        minutesAhead: Int
    ) async throws {
        let app = try TestApp(.memory)
        let offset = Duration.minutes(minutesAhead)
        let home = try Home(in: app, clockOffset: { offset })
        try await home.signIn("+15550100001", in: app)
        let pressed = app.time.now.adding(offset)
        let answer = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: pressed)
        let record = try #require(answer.confirmed)
        #expect(record.occurredAt == app.time.now)
        #expect(record.nextCheckInTime == app.time.now.adding(.hours(24)))
        await home.clients.stop()
    }

    /// The clock of a phone without a connection is often wrong, and is put right with the
    /// connection.
    @Test(arguments: [-26, 26], [false, true])
    func clockSetBeforeTheSendingDoesNotMoveACheckIn(hours: Int, restarts: Bool) async throws {
        let app = try TestApp(.memory)
        let ahead = LockIsolated(Duration.zero)
        func home(_ folder: TemporaryFolder? = nil, _ tokens: MemoryTokenStore) throws -> Home {
            try Home(
                in: app, folder: folder, tokens: tokens, clockOffset: { ahead.value },
                uptime: { Uptime(start: "1", time: app.time.now.since(noon)) })
        }
        var phone = try home(nil, MemoryTokenStore())
        try await phone.signIn("+15550100001", in: app)
        await phone.goOffline()
        ahead.setValue(.hours(hours))
        let pressed = app.time.now
        let wrong = pressed.adding(.hours(hours))
        #expect(
            try await phone.values.checkInClient.checkIn(id: id(1), occurredAt: wrong).isWaiting)
        if restarts {
            await phone.clients.stop()
            phone = try home(phone.folder, phone.tokens)
            phone.cable.isPlugged = false
            try await phone.clients.start()
        }
        app.time.pass(.minutes(10))
        ahead.setValue(.zero)
        phone.goOnline()
        await phone.isSent()
        let records = try await phone.values.checkInClient.history(before: nil).items
        #expect(records.map(\.occurredAt) == [pressed])
        await phone.clients.stop()
    }

    @Test(arguments: [-1_001, -1_000, 0, 1_000, 1_001])
    func onlyAnUptimeOfTheSameStartCorrectsATime(milliseconds: Int) {
        let change = Duration.milliseconds(milliseconds)
        var entry = QueuedEntry(
            id: UUID(), position: 0, action: .checkIn(id(1), occurredAt: noon - 1), createdAt: noon)
        let now = noon.adding(.seconds(60) + change)
        let later = Uptime(start: "1", time: .seconds(90))
        #expect(entry.timed(at: now, later) == entry)
        entry.uptime = Uptime(start: "0", time: .seconds(30))
        #expect(entry.timed(at: now, later) == entry)
        entry.uptime = Uptime(start: "1", time: .seconds(30))
        #expect(entry.timed(at: now, nil) == entry)
        let timed = entry.timed(at: now, later)
        guard abs(milliseconds) > 1_000 else { return #expect(timed == entry) }
        #expect(timed.createdAt == noon.adding(change))
        #expect(
            timed.action == .checkIn(id(1), occurredAt: (noon - 1).adding(change)))
    }

    @Test func uptimeOfThisDeviceGrows() {
        let first = Uptime.ofThisDevice
        let second = Uptime.ofThisDevice
        #expect(first.start == second.start && !first.start.isEmpty)
        #expect(first.time > .zero && second.time >= first.time)
    }

    /// If the end were sent first, the server wouldn't find the alert. The end would then count as
    /// done, and the alert would stay open.
    @Test(arguments: [false, true])
    func anEndFollowsItsAlertAfterTheClockWasSetBack(restarts: Bool) async throws {
        let app = try TestApp(.memory)
        var home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        await home.goOffline()
        #expect(try await home.values.alertClient.raise(id: id(1)).isWaiting)
        app.time.pass(.hours(-2))
        #expect(try await home.values.alertClient.end(id: id(1)).isWaiting)
        app.time.pass(.hours(2))
        #expect(await home.waiting() == [.raiseAlert, .endAlert])
        if restarts {
            await home.clients.stop()
            home = try Home(in: app, folder: home.folder, tokens: home.tokens)
            try await home.clients.start()
        }
        home.goOnline()
        await home.isSent()
        #expect(try await app.count("SELECT COUNT(*) FROM alerts") == 1)
        #expect(try await app.count("SELECT COUNT(*) FROM alerts WHERE ended_at IS NULL") == 0)
        await home.clients.stop()
    }

    /// The server answers the queued alert with the one that the other phone has raised.
    @Test(arguments: [false, true])
    func queuedEndSparesAnAlertThatAnotherPhoneRaisedLater(isLater: Bool) async throws {
        let app = try TestApp(.memory)
        let (home, other) = (try Home(in: app), try Home(in: app))
        try await home.signIn("+15550100001", in: app)
        try await other.signIn("+15550100001", in: app)
        func raiseOnTheOtherPhone() async throws {
            #expect(try await !other.values.alertClient.raise(id: id(2)).isWaiting)
        }
        await home.goOffline()
        #expect(try await home.values.alertClient.raise(id: id(1)).isWaiting)
        app.time.pass(.seconds(10))
        if !isLater { try await raiseOnTheOtherPhone() }
        app.time.pass(.seconds(10))
        #expect(try await home.values.alertClient.end(id: id(1)).isWaiting)
        app.time.pass(.seconds(10))
        if isLater { try await raiseOnTheOtherPhone() }
        home.goOnline()
        await home.isSent()
        #expect(try await app.count("SELECT COUNT(*) FROM alerts") == 1)
        #expect(
            try await app.count("SELECT COUNT(*) FROM alerts WHERE ended_at IS NULL")
                == (isLater ? 1 : 0))
        await home.clients.stop()
        await other.clients.stop()
    }

    private static let eight = Date(timeIntervalSince1970: 1_800_000_000)
    private static let dateHeader = ["date": "Fri, 15 Jan 2027 08:00:00 GMT"]

    @Test func offsetFollowsTheServersDateHeader() async {
        let time = LockIsolated<Date?>(nil)
        let witness = ServerClockWitness(deviceTime: { time.value }, uptime: { nil })
        func see(_ headers: [String: String], at moment: Date?) async {
            time.setValue(moment)
            await witness.see(headers)
        }
        let (headers, eight) = (Self.dateHeader, Self.eight)
        #expect(witness.offset == .zero && witness.measurement == nil)
        await see(headers, at: eight.adding(.minutes(-49)))
        #expect(witness.offset == .minutes(49))
        await see([:], at: eight)
        await see(["date": "tomorrow"], at: eight)
        #expect(witness.offset == .minutes(49))
        await see(headers, at: nil)
        #expect(witness.offset == .zero && witness.measurement?.offset == .minutes(49))
        await see(headers, at: eight.adding(.minutes(2)))
        #expect(witness.offset == .zero)
        await see(headers, at: eight.adding(.milliseconds(120_001)))
        #expect(witness.offset == .milliseconds(-120_001))
    }

    @Test func onlyAChangedOffsetIsKept() async {
        let time = LockIsolated<Date?>(nil)
        let start = LockIsolated<String?>("1")
        let kept = LockIsolated<[Duration]>([])
        let witness = ServerClockWitness(
            deviceTime: { time.value },
            uptime: { start.value.map { Uptime(start: $0, time: .seconds(90)) } })
        func see(secondsBehind: Int) async {
            time.setValue(Self.eight.adding(.seconds(-secondsBehind)))
            await witness.see(Self.dateHeader)
        }
        await see(secondsBehind: 300)
        witness.follow(nil) { measured in kept.withValue { $0.append(measured.offset) } }
        await see(secondsBehind: 300)
        await see(secondsBehind: 300)
        #expect(kept.value == [.seconds(300)])
        // The kept measurement already tells that somebody has set the clock.
        await see(secondsBehind: 0)
        #expect(kept.value == [.seconds(300)] && witness.offset == .zero)
        start.setValue("2")
        await see(secondsBehind: 0)
        #expect(kept.value == [.seconds(300), .zero])
        start.setValue(nil)
        await see(secondsBehind: 600)
        #expect(kept.value.count == 2 && witness.offset == .seconds(600))
    }

    /// The kept measurement comes from an earlier process.
    @Test(arguments: [300, 0])
    func onlyAnotherOffsetThanTheKeptOneIsKept(secondsBehind: Int) async {
        let device = Self.eight.adding(.seconds(-secondsBehind))
        let uptime = Uptime(start: "1", time: .seconds(90))
        let kept = LockIsolated<[Duration]>([])
        let witness = ServerClockWitness(deviceTime: { device }, uptime: { uptime })
        let known = ClockMeasurement(offset: .seconds(300), deviceTime: device, uptime: uptime)
        witness.follow(known) { measured in kept.withValue { $0.append(measured.offset) } }
        await witness.see(Self.dateHeader)
        #expect(kept.value == (secondsBehind == 300 ? [] : [Duration.zero]))
    }

    /// Otherwise, a process that starts without a connection would move correct reminders.
    @Test(arguments: [false, true])
    func offsetOutlivesTheProcessButNoRestart(restarts: Bool) async throws {
        let app = try TestApp(.memory)
        let device = LockIsolated(Self.eight.adding(.minutes(-49)))
        let start = LockIsolated("1")
        func home(_ folder: TemporaryFolder? = nil, _ tokens: MemoryTokenStore) throws -> Home {
            try Home(
                in: app, folder: folder, tokens: tokens,
                clockOffset: { device.value.since(app.time.now) },
                uptime: { Uptime(start: start.value, time: .seconds(90)) })
        }
        var phone = try home(nil, MemoryTokenStore())
        try await phone.signIn("+15550100001", in: app)
        await phone.clients.controller.connection.serverClock.see(Self.dateHeader)
        #expect(phone.values.serverClock.offset() == .minutes(49))
        await phone.clients.stop()
        if restarts { start.setValue("2") }
        phone = try home(phone.folder, phone.tokens)
        phone.cable.isPlugged = false
        try await phone.clients.start()
        #expect(phone.values.serverClock.offset() == (restarts ? .zero : .minutes(49)))
        // Somebody sets the clock right.
        device.setValue(Self.eight)
        #expect(phone.values.serverClock.offset() == .zero)
        await phone.clients.stop()
    }

    /// A device that starts without a connection knows the server's clock from its last process.
    @Test(arguments: [false, true])
    func waitingActionsShowTheServersTimeAfterAStart(isMeasured: Bool) async throws {
        let app = try TestApp(.memory)
        let device = Self.eight.adding(.minutes(-49))
        func home(_ folder: TemporaryFolder? = nil, _ tokens: MemoryTokenStore) throws -> Home {
            try Home(
                in: app, folder: folder, tokens: tokens,
                clockOffset: { device.since(app.time.now) },
                uptime: { Uptime(start: "1", time: .seconds(90)) })
        }
        var phone = try home(nil, MemoryTokenStore())
        try await phone.signIn("+15550100001", in: app)
        if isMeasured {
            await phone.clients.controller.connection.serverClock.see(Self.dateHeader)
        }
        await phone.goOffline()
        let answer = try await phone.values.checkInClient.checkIn(id: id(1), occurredAt: device)
        #expect(answer.isWaiting)
        await phone.clients.stop()
        phone = try home(phone.folder, phone.tokens)
        phone.cable.isPlugged = false
        try await phone.clients.start()
        let status = try #require(await first(phone.values.connectivityClient.status()))
        #expect(status.waiting.map(\.createdAt) == [isMeasured ? Self.eight : device])
        await phone.clients.stop()
    }

    /// Somebody may set the device's clock after the sync.
    @Test func syncIsMarkedByTheServersClock() async throws {
        let app = try TestApp(.memory)
        let device = Self.eight.adding(.minutes(-49))
        let phone = try Home(in: app, clockOffset: { device.since(app.time.now) })
        try await phone.signIn("+15550100001", in: app)
        await phone.clients.controller.connection.serverClock.see(Self.dateHeader)
        try await phone.clients.refresh()
        await phone.goOffline()
        let status = try #require(await first(phone.values.connectivityClient.status()))
        #expect(!status.isOnline && status.lastSynced == Self.eight)
        await phone.clients.stop()
    }

    /// Returns an account whose device clock is ahead by this time, after an answer at eight.
    private func account(ahead: Duration) async -> Account {
        let (clock, device) = (EagerClock(), Self.eight.adding(ahead))
        var options = Connection.Options()
        options.deviceTime = { device }
        let account = Account(
            userID: id(1),
            connection: Connection(
                transport: FakeTransport { _, _ in throw ClientFailure.unreachable(.offline) },
                store: MemoryTokenStore(nil), clock: clock.client, random: { 0 },
                options: options),
            environment: ClientEnvironment(
                clock: clock.client, now: { device }, makeID: { UUID() }, random: { 0 }),
            options: Account.Options(limits: .session))
        await account.connection.serverClock.see(Self.dateHeader)
        return account
    }

    @Test(arguments: [-9, 0, 9], [0, 1])
    func checkInOfAnotherIsJudgedByTheServersClock(
        hoursAhead: Int, minutesLeft: Int
    ) async throws {
        let account = await account(ahead: .hours(hoursAhead))
        let contact = ContactData(
            id: id(2), name: "Ben", phoneNumber: nil, profilePictureURL: nil,
            roles: try ContactRoles(isResponder: false, isDependent: true),
            dateAdded: Self.eight, hasPendingPing: false, pingedAt: nil,
            watch: .init(
                emergencyNote: "", lastCheckInTime: nil, nextCheckInTime: nil,
                checkInIntervalSeconds: 86_400, status: .active))
        await account.receive(.reply(.contact(contact)))
        let deadline = Self.eight.adding(.minutes(minutesLeft))
        await account.receive(
            .event(
                .checkIn(
                    .init(
                        userID: contact.id, lastCheckInTime: Self.eight.adding(.hours(-1)),
                        nextCheckInTime: deadline)), sequence: 1))
        let watch = await account.shown.contacts.first?.watch
        #expect(watch?.nextCheckInTime == deadline)
        #expect(watch?.status == (minutesLeft == 0 ? .nonResponsive : .active))
    }

    /// A restored server takes this time as its own.
    @Test(arguments: [-9, 0, 9]) func journeyEndsByTheServersClock(hoursAhead: Int) async throws {
        let account = await account(ahead: .hours(hoursAhead))
        var profile = UserProfile(
            id: id(1), name: "Ada", phoneNumber: try PhoneNumber("+15550100001"),
            emergencyNote: "", profilePictureURL: nil, settings: .standard,
            lastCheckInTime: nil, nextCheckInTime: nil, status: .active, createdAt: Self.eight)
        profile.journey = JourneyRecord(
            id: id(12), name: "Zugspitze", note: "", startTime: Self.eight.adding(.hours(-1)),
            expectedReturn: Self.eight.adding(.hours(1)))
        await account.receive(.reply(.profile(profile)))
        #expect(await account.journeyEnd == nil)
        profile.journey = nil
        await account.receive(.reply(.profile(profile)))
        #expect(await account.journeyEnd == Self.eight)
    }

    @Test func queueIsShownByTheServersClock() async throws {
        let app = try TestApp(.memory)
        let device = LockIsolated(Self.eight.adding(.minutes(-49)))
        let phone = try Home(
            in: app, clockOffset: { device.value.since(app.time.now) },
            uptime: { Uptime(start: "1", time: .seconds(90)) })
        try await phone.signIn("+15550100001", in: app)
        await phone.clients.controller.connection.serverClock.see(Self.dateHeader)
        await phone.goOffline()
        let checkIn = phone.values.checkInClient
        let (pressed, new) = (device.value, id(1) as CheckInID)
        #expect(try await checkIn.checkIn(id: new, occurredAt: pressed).isWaiting)
        // Somebody sets the clock right after the press.
        for clock in [pressed, Self.eight] {
            device.setValue(clock)
            let shown = try await checkIn.history(before: nil).items.first { $0.id == new }
            #expect(shown?.occurredAt == Self.eight && shown?.receivedAt == Self.eight)
        }
        let status = try #require(await first(phone.values.connectivityClient.status()))
        #expect(status.waiting.map(\.createdAt) == [Self.eight])
        await phone.clients.stop()
    }

    @Test func eachCheckInTryCarriesItsSendTime() async throws {
        let transport = FakeTransport { _, number in
            guard number > 1 else { throw ClientFailure.unreachable(.interrupted) }
            return try .problem(.notFound)
        }
        var options = Connection.Options()
        // Each attempt takes seven seconds.
        options.deviceTime = {
            Date(timeIntervalSince1970: 1_800_000_000 + 7 * Double(transport.requests.count))
        }
        let connection = Connection(
            transport: transport, store: MemoryTokenStore(.stage(1)), clock: EagerClock().client,
            random: { 0 }, options: options)
        _ = try? await connection.call(
            Routes.checkIn, CheckInRequest(occurredAt: Date(timeIntervalSince1970: 1_800_000_000)),
            id: UUID())
        #expect(
            transport.requests.map { $0.headers[Endpoint.sentAt] } == [
                "2027-01-15T08:00:00.000Z", "2027-01-15T08:00:07.000Z",
            ])
    }

    /// The server compares the time of a press with the time of sending.
    @Test func onlyPressesCarryTheirSendTime() async {
        let transport = FakeTransport { _, _ in try .problem(.notFound) }
        var options = Connection.Options()
        options.deviceTime = { Self.eight }
        let connection = Connection(
            transport: transport, store: MemoryTokenStore(.stage(1)), clock: EagerClock().client,
            random: { 0 }, options: options)
        let presses: [QueuedAction] = [
            .raiseAlert(id(1)), .endAlert(id(2)), .checkIn(id(3), occurredAt: Self.eight),
            .respondToPing(id(4)), .extendJourney(id(5), expectedReturn: Self.eight),
            .endJourney(id(5)), .pause(until: Self.eight), .endPause,
        ]
        let others: [QueuedAction] = [.clearPing(id(4)), .markAsRead(id(6))]
        for action in presses + others {
            let entry = QueuedEntry(
                id: UUID(), position: 0, action: action, createdAt: Self.eight)
            _ = try? await connection.send(entry, aliases: [:], retry: .once)
        }
        let sent = transport.requests.map { $0.headers[Endpoint.sentAt] }
        #expect(sent.prefix(presses.count).allSatisfy { $0 == "2027-01-15T08:00:00.000Z" })
        #expect(sent.count == presses.count + others.count)
        #expect(sent.dropFirst(presses.count).allSatisfy { $0 == nil })
    }

    /// A difference of two minutes is tolerated. A check-in that moves the deadline needs no second
    /// one.
    @Test func slightlyOlderCheckInIsNotRepeated() async throws {
        let app = try TestApp(.memory)
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        _ = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: app.time.now)
        let early = app.time.now.addingTimeInterval(-120)
        let answer = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: early)
        #expect(answer.confirmed?.id == id(2))
        #expect(try await app.count("SELECT COUNT(*) FROM check_ins") == 2)
        await home.clients.stop()
    }
}

extension Account {
    fileprivate var journeyEnd: Date? { mirror.model.lastJourney?.endTime }
}

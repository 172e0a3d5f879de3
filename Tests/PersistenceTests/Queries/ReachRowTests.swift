import Domain
import Foundation
import Testing

@testable import Persistence

/// What is stored about people's endpoints and contacts, beside others in the same state.
@Suite struct ReachRowTests {
    private let hourLater = noon.adding(.hours(1))
    private let dayLater = noon.adding(.days(1))

    /// Ada and Ben each have a webhook, a browser and a session with the same ids.
    private func withEndpoints(_ story: (any DatabaseEngine, Ledger) async throws -> Void)
        async throws
    {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            let url = try #require(URL(string: "https://example.org/hook"))
            for (user, hash) in [(ada, 21), (ben, 22)] as [(UserID, UInt8)] {
                let caller = Caller(userID: user, sessionID: id(1))
                let row = try browser(2, hash: hash)
                try await engine.write(about: .none) {
                    try $0.insertSession(
                        caller, deviceName: "Phone",
                        TokenHashes(
                            access: Data([hash]), refresh: Data([hash, 1]), family: nil,
                            accessExpiresAt: noon, refreshExpiresAt: noon.adding(.days(1))))
                    try $0.save(
                        PushEndpoint(id: id(1), kind: .webhook, url: url, createdAt: noon),
                        of: user, session: id(1))
                    _ = try $0.save(row, of: caller)
                }
            }
            try await story(engine, ledger)
        }
    }

    private func change(
        _ assignments: String, in table: String, _ engine: any DatabaseEngine
    ) async throws {
        try await engine.write(about: .none) {
            _ = try $0.execute("UPDATE \(table) SET \(assignments) WHERE user_id = $1", [.id(ada)])
        }
    }

    private func prove(
        _ numbers: UInt8..., of user: UserID = ada, at time: Date, _ engine: any DatabaseEngine
    ) async throws {
        try await engine.write(at: time) { transaction in
            for number in numbers { try transaction.prove(id(number), of: user) }
        }
    }

    private func provenChannels(
        of user: UserID = ada, _ engine: any DatabaseEngine
    ) async throws -> [String] {
        try await engine.read {
            try $0.values(
                """
                SELECT channel FROM proofs WHERE user_id = $1 AND channel <> 'number'
                ORDER BY channel
                """, [.id(user)])
        }
    }

    // MARK: Proofs

    /// The messages 1 and 2 may have gone to the old number.
    @Test func proofsEndWithTheNumber() async throws {
        try await withEndpoints { engine, ledger async throws in
            let change = noon.aMillisecondAfter
            let messages: [(UInt8, DeliveryChannel, Date)] = [
                (1, .sms, noon), (2, .voice, noon), (3, .sms, change), (4, .voice, change),
            ]
            for (number, channel, time) in messages {
                try await ledger.enter(number, by: channel, at: time)
            }
            try await ledger.enter(5, by: .sms, to: ben, at: noon)
            try await prove(1, 2, at: change, engine)
            try await prove(5, of: ben, at: change, engine)
            #expect(try await provenChannels(engine) == ["sms", "voice"])
            try await engine.write(at: change) {
                try $0.updatePhoneNumber(PhoneNumber("+15550109999"), of: ada)
            }
            #expect(try await provenChannels(engine) == [])
            try await prove(1, 2, at: hourLater, engine)
            #expect(try await provenChannels(engine) == [])
            try await prove(3, at: hourLater, engine)
            #expect(try await provenChannels(engine) == ["sms"])
            try await prove(4, at: hourLater, engine)
            #expect(try await provenChannels(engine) == ["sms", "voice"])
            #expect(try await provenChannels(of: ben, engine) == ["sms"])
            let reach = try await engine.read {
                try $0.reachability(of: [ada], by: [.sms])[ada]?.channel
            }
            #expect(reach == .sms)
        }
    }

    /// The clock was an hour ahead when Ada changed her number.
    @Test func changeInTheFutureHoldsNoProof() async throws {
        try await withEndpoints { engine, ledger async throws in
            try await engine.write(at: hourLater) {
                try $0.updatePhoneNumber(PhoneNumber("+15550109999"), of: ada)
            }
            try await ledger.enter(1, by: .sms, at: noon)
            try await prove(1, at: noon, engine)
            #expect(try await provenChannels(engine) == ["sms"])
        }
    }

    @Test func proofByMailEndsWithTheAddress() async throws {
        try await withEndpoints { engine, ledger async throws in
            let change = noon.aMillisecondAfter
            try await engine.write(at: noon) {
                try $0.insertEmailAddress(EmailAddress("ada@example.org"), of: ada)
            }
            try await ledger.enter(1, by: .email, at: noon)
            try await ledger.enter(2, by: .email, at: change)
            try await prove(1, at: change, engine)
            try await engine.write(at: change) { try $0.confirmNewEmailAddress(of: ada) }
            #expect(try await provenChannels(engine) == ["email"])
            try await engine.write(at: change) { transaction in
                try transaction.setNewEmailAddress(
                    EmailAddress("ada@example.com"), code: UUID(), of: ada)
                try transaction.confirmNewEmailAddress(of: ada)
            }
            #expect(try await provenChannels(engine) == [])
            try await prove(1, at: hourLater, engine)
            #expect(try await provenChannels(engine) == [])
            try await prove(2, at: hourLater, engine)
            #expect(try await provenChannels(engine) == ["email"])
        }
    }

    // MARK: Devices

    @Test func silentDeviceIsTestedOnce() async throws {
        try await withEndpoints { engine, _ in
            func begin(
                _ user: UserID = ada, _ endpoint: UInt8 = 2, silentSince time: Date = noon
            ) async throws -> Bool {
                try await engine.write(at: hourLater) {
                    try $0.beginTest(of: id(endpoint), of: user, silentSince: time)
                }
            }
            let silent = try await engine.read {
                try $0.devicesToTest(silentSince: noon, limit: 10).map(\.user)
            }
            #expect(Set(silent) == [ada, ben])
            let none = try await engine.read {
                try $0.devicesToTest(silentSince: noon.aMillisecondBefore, limit: 10)
            }
            #expect(none.isEmpty)
            #expect(try await begin(silentSince: noon.aMillisecondBefore) == false)
            // Webhooks aren't tested.
            #expect(try await begin(ada, 1) == false)
            #expect(try await begin())
            #expect(try await begin() == false)
            let left = try await engine.read {
                try $0.devicesToTest(silentSince: noon, limit: 10).map(\.user)
            }
            #expect(left == [ben])
            #expect(try await begin(silentSince: hourLater))
        }
    }

    @Test func receiptProvesTheDeviceOnceAnHour() async throws {
        try await withEndpoints { engine, ledger in
            for number in 1...3 as ClosedRange<UInt8> {
                try await ledger.enter(number, by: .webPush, device: id(2))
            }
            func received(_ number: UInt8, at time: Date) async throws -> [Int64?] {
                try await engine.write(at: time) {
                    try $0.markReceived(id(number), of: ada)
                    return try $0.query(
                        "SELECT received_at FROM push_subscriptions ORDER BY user_id", []
                    ) { try $0["received_at"] as Int64? }
                }
            }
            #expect(try await received(1, at: noon) == [noon.milliseconds, nil])
            let early = hourLater.aMillisecondBefore
            #expect(try await received(2, at: early) == [noon.milliseconds, nil])
            #expect(try await received(3, at: hourLater) == [hourLater.milliseconds, nil])
        }
    }

    @Test func workingEndpointOfALongSessionCounts() async throws {
        try await withEndpoints { engine, _ in
            let channels: Set<DeliveryChannel> = [.webhook, .webPush]
            func hasEndpoint(after end: Date) async throws -> [Bool] {
                try await engine.read {
                    [
                        try $0.hasEndpoint(of: ada, inSessionsAfter: end, by: channels),
                        try $0.hasEndpoint(of: ben, inSessionsAfter: end, by: channels),
                    ]
                }
            }
            #expect(try await hasEndpoint(after: dayLater.aMillisecondBefore) == [true, true])
            #expect(try await hasEndpoint(after: dayLater) == [false, false])
            let limit = noon.adding(.zero - ReachabilityRules.failsAfter).milliseconds
            for table in ["devices", "push_subscriptions"] {
                try await change("failing_since = \(limit + 1)", in: table, engine)
            }
            #expect(try await hasEndpoint(after: noon) == [true, true])
            for table in ["devices", "push_subscriptions"] {
                try await change("failing_since = \(limit)", in: table, engine)
            }
            #expect(try await hasEndpoint(after: noon) == [false, true])
            try await change("failing_since = NULL", in: "push_subscriptions", engine)
            #expect(try await hasEndpoint(after: noon) == [true, true])
            let ofSessions = try await engine.read {
                [
                    try $0.hasEndpoint(ofSession: id(1), of: ada, by: channels),
                    try $0.hasEndpoint(ofSession: id(2), of: ada, by: channels),
                    try $0.hasEndpoint(ofSession: id(1), of: cleo, by: channels),
                ]
            }
            #expect(ofSessions == [true, false, false])
        }
    }

    /// Ada's app has another session than her other endpoints.
    @Test func onlyEndpointsOfTheServersChannelsCount() async throws {
        try await withEndpoints { engine, _ in
            let caller = Caller(userID: ada, sessionID: id(3))
            let row = try app(4)
            try await engine.write(about: .none) {
                try $0.insertSession(
                    caller, deviceName: "App",
                    TokenHashes(
                        access: Data([3]), refresh: Data([3, 1]), family: nil,
                        accessExpiresAt: noon, refreshExpiresAt: noon.adding(.days(2))))
                _ = try $0.save(row, of: caller)
            }
            func counts(_ channels: Set<DeliveryChannel>) async throws -> [Bool] {
                let end = dayLater
                return try await engine.read {
                    let state = try $0.reachability(of: [ada], by: channels)[ada]?.state
                    return [
                        try $0.hasEndpoint(of: ada, inSessionsAfter: end, by: channels),
                        try $0.hasEndpoint(ofSession: id(3), of: ada, by: channels),
                        state != .unreachable,
                    ]
                }
            }
            #expect(try await counts([.apns]) == [true, true, true])
            #expect(try await counts([.webhook, .webPush]) == [false, false, true])
            #expect(try await counts([.fcm]) == [false, false, false])
        }
    }

    @Test func peopleWhoseEndpointsBeganToFailAreFound() async throws {
        try await withEndpoints { engine, _ in
            let time = noon.milliseconds
            func failing(from start: Date, until end: Date) async throws -> Set<UserID> {
                try await engine.read { try $0.people(failingSinceAfter: start, until: end) }
            }
            for table in ["devices", "push_subscriptions"] {
                try await change("failing_since = \(time)", in: table, engine)
                #expect(try await failing(from: noon.aMillisecondBefore, until: noon) == [ada])
                #expect(try await failing(from: noon, until: hourLater) == [])
                let before = noon.aMillisecondBefore
                #expect(try await failing(from: .distantPast, until: before) == [])
                try await change("failing_since = NULL", in: table, engine)
            }
        }
    }

    @Test func untoldFailuresAreFound() async throws {
        try await withEndpoints { engine, _ in
            func untold(
                until end: Date, after user: UserID? = nil, limit: Int = 10
            ) async throws -> [UserID] {
                try await engine.read {
                    try $0.peopleFailingUntold(until: end, after: user, limit: limit)
                }
            }
            let before = noon.aMillisecondBefore
            for table in ["devices", "push_subscriptions"] {
                try await change("failing_since = \(noon.milliseconds)", in: table, engine)
                #expect(try await untold(until: before) == [])
                #expect(try await untold(until: noon) == [ada])
                #expect(try await untold(until: noon, after: ada) == [])
                try await change("failing_since = NULL", in: table, engine)
            }
            for table in ["devices", "push_subscriptions"] {
                try await engine.write(about: .none) {
                    _ = try $0.execute(
                        "UPDATE \(table) SET failing_since = $1", [.date(noon)])
                }
            }
            let all = [ada, ben].sorted()
            #expect(try await untold(until: noon) == all)
            #expect(try await untold(until: noon, limit: 1) == [all[0]])
            #expect(try await untold(until: noon, after: all[0], limit: 1) == [all[1]])
            try await change("failing_since = \(noon.milliseconds)", in: "devices", engine)
            for (told, isFound) in [(before, true), (noon, false)] {
                _ = try await engine.write(about: .none) {
                    try $0.execute(
                        "UPDATE users SET unreachable_told_at = $1 WHERE id = $2",
                        [.date(told), .id(ada)])
                }
                #expect(try await untold(until: hourLater).contains(ada) == isFound)
            }
        }
    }

    @Test func unreachablePersonIsToldOfOnceInAPause() async throws {
        try await withEndpoints { engine, _ async throws in
            func note(_ user: UserID, unlessToldAfter time: Date) async throws -> Bool {
                try await engine.write(about: .none) {
                    try $0.noteUnreachable(user, unlessToldAfter: time)
                }
            }
            #expect(try await note(ada, unlessToldAfter: noon.aMillisecondBefore))
            #expect(try await note(ada, unlessToldAfter: noon.aMillisecondBefore) == false)
            #expect(try await note(ada, unlessToldAfter: noon))
            #expect(try await note(ben, unlessToldAfter: noon.aMillisecondBefore))
        }
    }

    @Test func testsOfEndpointsCountAfterTheTime() async throws {
        try await withEndpoints { engine, ledger in
            let after = noon.aMillisecondAfter
            try await ledger.add(1, .test, at: noon)
            try await ledger.add(2, .test, at: after)
            try await ledger.add(3, .other, at: after)
            try await ledger.add(4, .test, to: ben, at: after)
            let times = try await engine.read {
                try $0.endpointTests(of: ada, since: noon).map(\.time)
            }
            #expect(times == [after])
        }
    }

    // MARK: Contacts

    @Test func respondersAreCalledInTheOwnersOrder() async throws {
        try await withDatabase { engine in
            let (dora, emil): (UserID, UserID) = (id(4), id(5))
            try await engine.moveIn(ada, ben, cleo, dora, emil)
            try await engine.connect(cleo, watchesOver: ada)
            try await engine.connect(ben, watchesOver: ada, at: hourLater)
            try await engine.connect(dora, watchesOver: ada, at: hourLater)
            try await engine.connect(ada, watchesOver: emil)
            try await engine.connect(dora, watchesOver: emil)
            func order(of owner: UserID = ada) async throws -> [UserID] {
                try await engine.read { try $0.responderIDs(of: owner) }
            }
            // Without an order, the oldest contact comes first.
            #expect(try await order() == [cleo, ben, dora])
            try await engine.write(about: .none) { try $0.saveOrder([dora], of: ada) }
            #expect(try await order() == [dora, cleo, ben])
            try await engine.write(about: .none) { try $0.saveOrder([ben, cleo], of: ada) }
            #expect(try await order() == [ben, cleo, dora])
            #expect(try await order(of: emil) == [ada, dora])
            let all = try await engine.read { try $0.responders(of: [ada, ben, emil]) }
            #expect(
                all.mapValues { $0.map(\.id) } == [ada: [ben, cleo, dora], emil: [ada, dora]])
            try await engine.write(about: .none) { try $0.deleteContact(dora, of: ada) }
            #expect(try await order() == [ben, cleo])
            #expect(try await order(of: emil) == [ada, dora])
            #expect(try await engine.read { try $0.contact(ada, of: dora) } == nil)
            #expect(try await engine.read { try $0.countContacts(of: ada) } == 3)
        }
    }

    @Test func expiredPingsComeOldestFirstAndOnce() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben, cleo)
            let end = noon.adding(PingRules.lifetime)
            let late = ping(1, from: ben, to: ada)
            let early = ping(2, from: cleo, to: ada, at: noon.aMillisecondBefore)
            let settled = ping(3, from: ada, to: cleo, at: noon.adding(.hours(-1)))
            try await engine.write(about: .none) {
                for ping in [late, early, settled] { try $0.insert(ping) }
                _ = try $0.settle(settled, as: .answered)
            }
            func expired(at time: Date) async throws -> [UInt8] {
                try await engine.read { try $0.expiredPings(at: time, limit: 10) }
                    .map(\.id.uuid.uuid.15)
            }
            #expect(try await expired(at: end.adding(.milliseconds(-2))) == [])
            #expect(try await expired(at: end.aMillisecondBefore) == [2])
            #expect(try await expired(at: end) == [2, 1])
            try await engine.write(about: .none) {
                try $0.postponePing(early, until: end.aMillisecondAfter)
            }
            #expect(try await expired(at: end) == [1])
            let found = try await engine.read {
                (
                    try $0.pendingPings(to: ada).map(\.id), try $0.pendingPings(to: ben).map(\.id),
                    try $0.pendingPing(from: ben, to: ada)?.id,
                    try $0.pendingPing(from: ada, to: cleo)?.id,
                    try $0.pendingPing(from: ada, to: ben)?.id
                )
            }
            #expect(found.0 == [id(2), id(1)] && found.1 == [])
            #expect(found.2 == id(1) && found.3 == nil && found.4 == nil)
        }
    }
}

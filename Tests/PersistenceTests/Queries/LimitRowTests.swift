import Domain
import Foundation
import Testing

@testable import Persistence

/// Which codes and messages count towards the limits, and since when.
@Suite struct LimitRowTests {
    private static func hash(_ number: UInt8) -> Data { Data(repeating: number, count: 32) }
    private let mine = Self.hash(1)
    private let others = Self.hash(2)
    private let address = Self.hash(3)
    private let network = Self.hash(4)
    private let before = noon.aMillisecondBefore
    private let after = noon.aMillisecondAfter

    // MARK: Sign-in codes

    /// Inserts a code to Ada's number.
    private func insertCode(
        _ number: UInt8, at time: Date, to user: UserID = ada, from address: Data,
        by requester: Data? = nil, network: Data? = nil, isFree: Bool = false,
        _ engine: any DatabaseEngine
    ) async throws {
        let code = CodeRow(
            id: uuid(number), hash: Data(), expiresAt: noon.adding(.minutes(5)), triesLeft: 5,
            requesterHash: requester, networkHash: network, isFree: isFree)
        let phone = try PersistenceTests.number(of: user)
        try await engine.write(at: time) {
            try $0.insertCode(code, phoneNumber: phone, addressHash: address)
        }
    }

    private func uuid(_ number: UInt8) -> UUID { (id(number) as CheckInID).uuid }

    @Test func codesCountAfterTheTime() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            try await insertCode(1, at: noon, from: address, network: network, engine)
            try await insertCode(2, at: after, from: address, network: network, engine)
            try await insertCode(3, at: after, from: address, by: mine, isFree: true, engine)
            try await insertCode(4, at: after, to: ben, from: others, by: others, engine)
            let phone = try number(of: ada)
            let times = try await engine.read { [address, network] in
                [
                    try $0.codeTimes(phoneNumber: phone, since: noon).map(\.time),
                    try $0.strangersCodeTimes(phoneNumber: phone, since: noon),
                    try $0.knownDevicesCodeTimes(phoneNumber: phone, since: noon),
                    try $0.codeTimes(addressHash: address, since: noon),
                    try $0.codeTimes(networkHash: network, since: noon),
                    try $0.paidCodeTimes(since: noon, limit: 10),
                    try $0.paidCodeTimes(since: noon, limit: 1),
                ]
            }
            #expect(times.map(\.count) == [2, 1, 1, 2, 1, 2, 1])
            #expect(times.allSatisfy { $0.allSatisfy { $0 == after } })
            let earlier = try await engine.read { [address, before] in
                [
                    try $0.codeTimes(phoneNumber: phone, since: before).count,
                    try $0.strangersCodeTimes(phoneNumber: phone, since: before).count,
                    try $0.knownDevicesCodeTimes(phoneNumber: phone, since: before).count,
                    try $0.codeTimes(addressHash: address, since: before).count,
                    try $0.paidCodeTimes(since: before, limit: 10).count,
                ]
            }
            #expect(earlier == [3, 2, 1, 3, 3])
        }
    }

    /// The clock was ahead. Codes of the future would count for longer than an hour.
    @Test func codesOfAFastClockAreForgotten() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            try await insertCode(1, at: noon, from: address, engine)
            try await insertCode(2, at: after, from: address, engine)
            let correction = ClockCorrection(
                by: .hours(-2), since: noon, until: noon.adding(.hours(2)))
            try await engine.write(about: .none) { try $0.correctMoments(by: correction) }
            let phone = try number(of: ada)
            let times = try await engine.read { [before] in
                try $0.codeTimes(phoneNumber: phone, since: before).map(\.time)
            }
            #expect(times == [noon])
        }
    }

    @Test func attemptCountsForItsRequesterOnly() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let phone = try number(of: ada)
            for (number, end): (UInt8, Date) in [(1, noon), (2, after)] {
                let row = CodeRow(
                    id: uuid(number), hash: Data(), expiresAt: end, triesLeft: 0)
                try await engine.write(at: noon) { [address] in
                    try $0.insertCode(row, phoneNumber: phone, addressHash: address)
                }
            }
            let attempts = try await engine.read { [before] in
                try $0.codeTimes(phoneNumber: phone, since: before).filter(\.isAttempt).count
            }
            let codes = try await engine.read { [before] in
                try $0.strangersCodeTimes(phoneNumber: phone, since: before).count
            }
            #expect(attempts == 1 && codes == 1)
        }
    }

    @Test func newestCodeOfTheRequesterIsFound() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            try await insertCode(1, at: noon, from: address, engine)
            try await insertCode(2, at: after, from: address, by: mine, engine)
            try await insertCode(3, at: noon.adding(.seconds(1)), from: others, engine)
            try await insertCode(
                4, at: noon.adding(.seconds(2)), to: ben, from: address, by: mine, engine)
            let phone = try number(of: ada)
            let found = try await engine.read { [mine, others, address] in
                [
                    try $0.newestCode(for: phone)?.id,
                    try $0.newestCode(for: phone, device: mine, address: others)?.id,
                    try $0.newestCode(for: phone, device: mine, address: address)?.id,
                    try $0.newestCode(for: phone, device: nil, address: address)?.id,
                    try $0.newestCode(for: phone, device: nil, address: mine)?.id,
                ]
            }
            let expected: [UUID?] = [uuid(3), uuid(3), uuid(2), uuid(1), uuid(2)]
            #expect(found == expected)
        }
    }

    @Test func usedCodeEndsOnlyThoseOfItsNumber() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            for (number, user) in [(1, ada), (2, ada), (3, ben)] as [(UInt8, UserID)] {
                try await insertCode(number, at: noon, to: user, from: address, engine)
            }
            func tries() async throws -> [Int] {
                try await engine.read {
                    try $0.values("SELECT tries_left FROM sign_in_codes ORDER BY id", [])
                }
            }
            let first = uuid(1)
            try await engine.write(about: .none) { try $0.setTries(3, of: first) }
            #expect(try await tries() == [3, 5, 5])
            let phone = try number(of: ada)
            try await engine.write(about: .none) { try $0.useUpCodes(of: phone) }
            #expect(try await tries() == [0, 0, 5])
        }
    }

    /// A wrong clock wrote them.
    @Test func codesOfTheFutureTakeNoPlaceInALimit() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let mail = EmailCodeRow(
                id: uuid(1), mailboxHash: mine, userHash: mine, addressHash: address,
                networkHash: nil)
            for (number, time) in [(1, after), (2, noon.adding(SlidingWindow.skew))] {
                try await insertCode(UInt8(number), at: time, from: address, engine)
                var mail = mail
                mail.id = uuid(UInt8(number))
                try await engine.write(at: time) { [mail] in try $0.insert(mail) }
            }
            let times = try await engine.read {
                [
                    try $0.paidCodeTimes(since: noon, limit: 1),
                    try $0.emailCodeTimes(like: mail, since: noon, limit: 1).inAll,
                ]
            }
            #expect(times == [[after], [after]])
        }
    }

    // MARK: E-mail

    @Test func emailCodesCountBySenderAndMailbox() async throws {
        try await withDatabase { engine in
            let rows: [(UInt8, Date, Data, Data, EmailCodeRow.State)] = [
                (1, after, mine, mine, .sent), (2, after, mine, others, .sent),
                (3, after, others, mine, .answered), (4, noon, mine, mine, .notSent),
            ]
            for (number, time, mailbox, user, state) in rows {
                var code = EmailCodeRow(
                    id: uuid(number), mailboxHash: mailbox, userHash: user, addressHash: address,
                    networkHash: user == mine ? network : nil)
                code.state = state
                try await engine.write(at: time) { [code] in try $0.insert(code) }
            }
            let code = EmailCodeRow(
                id: uuid(9), mailboxHash: mine, userHash: mine, addressHash: address,
                networkHash: network)
            let sent = try await engine.read {
                try $0.emailCodeTimes(like: code, since: noon, limit: 2)
            }
            #expect(sent.byUser.count == 2)
            #expect(sent.fromAddress.count == 3)
            #expect(sent.fromNetwork.count == 2)
            #expect(sent.inAll == [after, after])
            func unanswered() async throws -> [Int] {
                try await engine.read { [mine, others] in
                    [
                        try $0.unansweredEmails(toMailbox: mine).count,
                        try $0.unansweredEmails(toMailbox: others).count,
                    ]
                }
            }
            #expect(try await unanswered() == [2, 0])
            try await engine.write(about: .none) { [mine] in
                try $0.answerEmails(toMailbox: mine, askedBy: mine)
            }
            #expect(try await unanswered() == [1, 0])
            let second = uuid(2)
            try await engine.write(about: .none) { try $0.forgetEmail(withCode: second) }
            #expect(try await unanswered() == [0, 0])
            let states: [Int] = try await engine.read {
                try $0.values("SELECT state FROM email_codes ORDER BY id", [])
            }
            #expect(states == [1, 2, 1, 2])
        }
    }

    @Test func newAddressWaitsForItsCode() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            for (user, text) in [(ada, "ada@example.org"), (ben, "ben@example.org")] {
                let address = try EmailAddress(text)
                let code: CheckInID = id(user.uuid.uuid.15)
                try await engine.write(about: .none) {
                    try $0.setNewEmailAddress(address, code: code.uuid, of: user)
                }
            }
            func confirmed() async throws -> [String?] {
                try await engine.read {
                    [
                        try $0.confirmedEmail(of: ada)?.address,
                        try $0.confirmedEmail(of: ben)?.address,
                    ]
                }
            }
            #expect(try await confirmed() == [nil, nil])
            try await engine.write(about: .none) { try $0.confirmNewEmailAddress(of: ada) }
            #expect(try await confirmed() == ["ada@example.org", nil])
            // Without a new address, the confirmed one stays.
            try await engine.write(at: after) { try $0.confirmNewEmailAddress(of: ada) }
            #expect(try await confirmed() == ["ada@example.org", nil])
            #expect(try await engine.read { try $0.confirmedEmail(of: ada)?.verifiedAt } == noon)
            #expect(try await engine.read { try $0.peopleWithEmail(among: [ada, ben]) } == [ada])
            let found = try await engine.read {
                [
                    try $0.user(emailAddress: try EmailAddress("ADA@example.org"))?.id,
                    try $0.user(emailAddress: try EmailAddress("ben@example.org"))?.id,
                ]
            }
            #expect(found == [ada, nil])
            let deleted = try await engine.write(about: .none) {
                [try $0.deleteEmailAddress(of: ada), try $0.deleteEmailAddress(of: ada)]
            }
            #expect(deleted == [true, false])
            #expect(try await engine.rows(in: "email_addresses") == 1)
        }
    }

    // MARK: Invitations

    @Test func invitationsCountAfterTheTimeAndIfSent() async throws {
        try await withDatabase { engine in
            let rows: [(UInt8, Date, Data, Data, Bool)] = [
                (1, noon, mine, mine, true), (2, after, mine, others, true),
                (3, after, others, mine, true), (4, after, mine, mine, false),
            ]
            for (number, time, to, by, wasSent) in rows {
                let message = InvitationMessageRow(
                    id: id(number), numberHash: to, userHash: by, wasSent: wasSent)
                try await engine.write(at: time) { try $0.insert(message) }
            }
            let times = try await engine.read { [mine] in
                try $0.invitationTimes(userHash: mine, since: noon)
            }
            #expect(times == [after, after])
            let messages = try await engine.read { [mine] in
                try $0.invitationMessages(toNumber: mine, by: mine)
            }
            #expect(messages.times.sorted() == [noon, after] && messages.ownTimes == [noon])
            try await engine.write(about: .none) { try $0.forgetInvitationMessage(id(1)) }
            let left = try await engine.read { [mine] in
                try $0.invitationMessages(toNumber: mine, by: mine)
            }
            #expect(left.times == [after] && left.ownTimes.isEmpty)
        }
    }

    @Test func onlyTheRepeatedRequestIsKnown() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            let (first, second) = (uuid(1), uuid(2))
            try await engine.write(about: .none) {
                try $0.insert(RequestKeyRow(request: "raise", outcome: second), key: first, of: ada)
            }
            let found = try await engine.read {
                [
                    try $0.requestKey(first, of: ada), try $0.requestKey(second, of: ada),
                    try $0.requestKey(first, of: ben),
                ]
            }
            #expect(found == [RequestKeyRow(request: "raise", outcome: second), nil, nil])
        }
    }

    @Test func manyRequestsRemoveOnlyOlderEdits() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let (text, answer) = (RequestKeyRow.signInLockText, RequestKeyRow.unclearTextAnswer)
            let end = RequestKeyRow.signInLockEnd
            let keys = [uuid(1), uuid(2), uuid(3), uuid(4)]
            func insert(_ request: String, _ keys: [UUID], at time: Date) async throws {
                try await engine.write(at: time) { transaction in
                    for key in keys {
                        try transaction.insert(RequestKeyRow(request: request), key: key, of: ada)
                    }
                }
            }
            func known() async throws -> [String?] {
                try await engine.read { connection in
                    try keys.map { try connection.requestKey($0, of: ada)?.request }
                }
            }
            for (request, key) in zip([text, answer, end, "edit"], keys) {
                try await insert(request, [key], at: noon)
            }
            let newer = (1..<RequestKeyRules.limit).map { _ in UUID() }
            try await insert("edit", newer, at: after)
            let all: [String?] = [text, answer, end, "edit"]
            #expect(try await known() == all)
            try await insert("edit", [UUID()], at: after)
            let left: [String?] = [text, answer, end, nil]
            #expect(try await known() == left)
        }
    }

    /// Somebody may forge answers in the person's name, with ever new ids.
    @Test func textsAndRequestsOfDevicesKeepEachOther() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let text = RequestKeyRow.text(.takesOn, hash: Data([1]))
            let reply = RequestKeyRow.reply(to: id(7))
            let keys = [uuid(1), uuid(2), uuid(3)]
            func insert(_ request: String, _ keys: [UUID], at time: Date) async throws {
                try await engine.write(at: time) { transaction in
                    for key in keys {
                        try transaction.insert(RequestKeyRow(request: request), key: key, of: ada)
                    }
                }
            }
            func areKnown() async throws -> [Bool] {
                try await engine.read { connection in
                    try keys.map { try connection.requestKey($0, of: ada) != nil }
                }
            }
            for (request, key) in zip([text, "edit", reply], keys) {
                try await insert(request, [key], at: noon)
            }
            let others = (1..<RequestKeyRules.limitOfTexts).map { _ in UUID() }
            try await insert(RequestKeyRow.offer(for: .takesOn), others, at: after)
            #expect(try await areKnown() == [true, true, true])
            try await insert(text, [UUID()], at: after)
            #expect(try await areKnown() == [false, true, true])
            let edits = (0..<RequestKeyRules.limit).map { _ in UUID() }
            try await insert("edit", edits, at: after)
            #expect(try await areKnown() == [false, false, true])
            let offer = try await engine.read {
                try $0.newestRequest(RequestKeyRow.offer(for: .takesOn), of: ada)
            }
            #expect(offer != nil)
        }
    }
}

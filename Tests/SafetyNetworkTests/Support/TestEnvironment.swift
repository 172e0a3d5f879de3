import Cryptography
import Domain
import Foundation
import SafetyNetwork
import SeededGenerator
import Synchronization

struct SentEmail: Sendable {
    var address: String
    var code: String
    /// Reports that no mail server accepts the e-mail.
    var fail: @Sendable () async -> Void
}

struct LastMail: Equatable, Sendable {
    var address: String
    var subject: String
    var text: String
}

struct SentInvitation: Sendable {
    var address: String
    var subject: String
    var text: String
    /// The token of the link that stops e-mails to this address.
    var refusal: String
}

/// What stays the same when a server restarts: the time, the random generator, and the phones.
final class TestEnvironment: Sendable {
    let clock = TestClock()
    private let ids = Mutex<UInt64>(0)
    private let randomness: Mutex<SeededGenerator>
    private let sent = Mutex<[(number: PhoneNumber, code: String)]>([])
    private let texted = Mutex<[(number: PhoneNumber, text: String)]>([])

    private let emailed = Mutex<[SentEmail]>([])
    private let mailed = Mutex<[SentInvitation]>([])
    private let lastMailed = Mutex<[LastMail]>([])
    private let failures = Mutex<[@Sendable () async -> Void]>([])

    private let bounds = Mutex<[CodeBound]>([])
    private let noted = Mutex<[ClockCorrection]>([])

    /// The corrections of the server's time that the operator reads.
    var corrections: [ClockCorrection] { noted.withLock { $0 } }
    func noteCorrection(_ correction: ClockCorrection) { noted.withLock { $0.append(correction) } }

    /// The limits that have stopped codes.
    var codeBounds: [CodeBound] { bounds.withLock { $0 } }
    func note(_ bound: CodeBound) { bounds.withLock { $0.append(bound) } }

    init(seed: Int = 1) { randomness = Mutex(SeededGenerator(seed: seed)) }

    /// Returns increasing ids, so that items of the same time keep their order.
    func makeID() -> UUID {
        let number = ids.withLock { count in
            count += 1
            return count
        }
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        return UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0x40, 0, bytes[0] | 0x80, bytes[1], bytes[2], bytes[3], bytes[4],
                bytes[5], bytes[6], bytes[7]
            ))
    }

    func id<Tag>() -> ID<Tag> { ID(makeID()) }

    var random: RandomBytes {
        RandomBytes { [self] count in
            randomness.withLock { generator in
                Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
            }
        }
    }

    func send(_ code: String, to number: PhoneNumber) {
        sent.withLock { $0.append((number, code)) }
    }

    func email(
        _ code: String, to address: EmailAddress, fail: @escaping @Sendable () async -> Void
    ) {
        emailed.withLock { $0.append(SentEmail(address: address.text, code: code, fail: fail)) }
    }

    func invite(_ message: InvitationMessage, fail: @escaping @Sendable () async -> Void) {
        switch message {
        case .text(let number, let words, _): text(words, to: number)
        case .mail(let address, let subject, let paragraphs, let refusal):
            mailed.withLock {
                $0.append(
                    SentInvitation(
                        address: address.text, subject: subject,
                        text: paragraphs.joined(separator: "\n"), refusal: refusal))
            }
        }
        failures.withLock { $0.append(fail) }
    }

    func mail(to address: EmailAddress, subject: String, _ paragraphs: [String]) {
        lastMailed.withLock {
            $0.append(
                LastMail(
                    address: address.text, subject: subject,
                    text: paragraphs.joined(separator: "\n")))
        }
    }

    /// The messages to addresses that their accounts no longer use.
    var lastMails: [LastMail] { lastMailed.withLock { $0 } }

    var invitations: [SentInvitation] { mailed.withLock { $0 } }

    /// Releases the servers whose messages could still fail.
    func forgetFailures() {
        failures.withLock { $0 = [] }
        emailed.withLock { for index in $0.indices { $0[index].fail = {} } }
    }

    func failInvitations() async {
        for fail in failures.withLock({ $0 }) { await fail() }
    }

    var emails: [SentEmail] { emailed.withLock { $0 } }

    func text(_ text: String, to number: PhoneNumber) {
        texted.withLock { $0.append((number, text)) }
    }

    /// Returns the texts that a phone got, without codes, oldest first.
    func texts(on number: PhoneNumber) -> [String] {
        texted.withLock { $0.filter { $0.number == number }.map(\.text) }
    }

    func codes(on number: PhoneNumber) -> [String] {
        sent.withLock { $0.filter { $0.number == number }.map(\.code) }
    }
}

/// A folder for one test, deleted when the test ends.
final class TestFolder: Sendable {
    let path: String
    var database: String { path + "/lifesignal.db" }

    init() throws {
        var template = Array(
            (FileManager.default.temporaryDirectory.path + "/lifesignal-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

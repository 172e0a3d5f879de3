import Foundation

/// An e-mail address in the form that every mail server takes: ASCII, without quotes and comments.
public struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    /// As it was typed, with the domain in lower case.
    public let text: String

    /// Throws `invalidArgument` for `field` when the text is no such address.
    public init(_ typed: String, field: String = "address") throws(CommandError) {
        let typed = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        let parts = typed.split(separator: "@", omittingEmptySubsequences: false)
        guard typed.utf8.count <= Self.longest, parts.count == 2, Self.isLocalPart(parts[0]),
            Self.isDomain(parts[1])
        else {
            throw .invalidArgument(
                field: field, "Enter an e-mail address like ana@example.org.")
        }
        text = "\(parts[0])@\(parts[1].lowercased())"
    }

    /// Never the address itself, which has no place in a log.
    public var description: String { "an e-mail address" }

    public var domain: String { String(text.drop { $0 != "@" }.dropFirst()) }

    /// The mailbox behind the address and its variants: the key of limits. Many providers take
    /// `ana+anything@…`, and Google drops dots and has two domains for each mailbox, so one person
    /// could be written to by endless names.
    public var mailbox: String {
        let name = text.prefix { $0 != "@" && $0 != "+" }.lowercased()
        guard ["gmail.com", "googlemail.com"].contains(domain) else { return "\(name)@\(domain)" }
        return "\(name.replacing(".", with: ""))@gmail.com"
    }

    /// Characters (RFC 5321, 4.5.3.1, less the angle brackets).
    public static let longest = 254

    private static func isLocalPart(_ part: Substring) -> Bool {
        let marks = Set("!#$%&'*+/=?^_`{|}~-".utf8)
        return (1...64).contains(part.utf8.count)
            && part.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
                !atom.isEmpty && atom.utf8.allSatisfy { isAlphanumeric($0) || marks.contains($0) }
            }
    }

    private static func isDomain(_ part: Substring) -> Bool {
        let labels = part.split(separator: ".", omittingEmptySubsequences: false)
        let hyphen = UInt8(ascii: "-")
        return labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
            }
            && labels.last?.utf8.contains { !(48...57).contains($0) } == true
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: false
        }
    }
}

/// The user's own e-mail address, and how it does.
public struct EmailStatus: Codable, Equatable, Sendable {
    /// The address that messages go to; nil while none is confirmed.
    public var address: String?
    public var verifiedAt: Date?
    /// An address that waits for its code. Messages still go to the one before.
    public var unverifiedAddress: String?
    public var lastSuccessAt: Date?
    /// Since when it has taken nothing; nil while it works.
    public var failingSince: Date?
    /// Why it did not take the last message, as `smtp-550`; nil while it works.
    public var lastFailure: String?

    public init(
        address: String? = nil, verifiedAt: Date? = nil, unverifiedAddress: String? = nil,
        lastSuccessAt: Date? = nil, failingSince: Date? = nil
    ) {
        self.address = address
        self.verifiedAt = verifiedAt
        self.unverifiedAddress = unverifiedAddress
        self.lastSuccessAt = lastSuccessAt
        self.failingSince = failingSince
    }
}

/// The confirmation of an address (product.md, "E-mail").
public enum EmailRules {
    /// An address gets only one message until it answers, so its code is good for long.
    public static let codeLifetime: Duration = .days(7)
    public static let triesPerCode = 10
    public static let window: Duration = .days(1)
    public static let daysUntilSecondMessage = 30

    /// True if an address may be written to that may belong to somebody without an account. The
    /// first message may be the doing of another user, who must not keep its owner from using it:
    /// so there is a second one, later, and never a third.
    /// - Parameter unanswered: the times of the messages to its mailbox that nobody has answered,
    ///   whoever asked for them.
    public static func mayWrite(unanswered: [Date], at now: Date) -> Bool {
        guard let first = unanswered.first else { return true }
        return unanswered.count == 1 && now.since(first) >= .days(daysUntilSecondMessage)
    }
}

/// How many addresses may be entered in a day.
public struct EmailCodeLimits: Equatable, Sendable {
    public var perUser = 5
    public var perAddress = 20
    /// The limit for all users together; 0 for no limit.
    public var inAll = 1_000

    /// The limit for one IPv6 /48.
    public var perNetwork: Int { 5 * perAddress }

    public init() {}

    /// How long to wait before the next one; nil when it may be now.
    public func wait(after sent: SentEmailCodes, at now: Date) -> Duration? {
        [
            (sent.byUser, perUser), (sent.fromAddress, perAddress),
            (sent.fromNetwork, perNetwork), (sent.inAll, inAll),
        ]
        .filter { $0.1 > 0 }
        .compactMap {
            SlidingWindow.wait(after: $0.0, limit: $0.1, in: EmailRules.window, at: now)
        }
        .max()
    }
}

/// The times when addresses were entered within the last day, in any order.
public struct SentEmailCodes: Equatable, Sendable {
    public var byUser: [Date] = []
    public var fromAddress: [Date] = []
    public var fromNetwork: [Date] = []
    public var inAll: [Date] = []

    public init() {}
}

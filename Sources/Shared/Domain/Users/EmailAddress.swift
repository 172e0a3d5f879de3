import Foundation

/// An e-mail address in the form that every mail server accepts: ASCII, without quotes and
/// comments.
public struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as typed, with the domain in lower case and in ASCII.
    public let text: String

    /// Parses an address. Drops `mailto:` and invisible characters, which are often copied along,
    /// and reads a full-width `＠` as `@`. Throws `invalidArgument` for `field` if the text isn't an
    /// address.
    public init(_ typed: String, field: String = "address") throws(CommandError) {
        guard typed.utf8.count <= 4 * Self.longest else { throw Self.refusal(field) }
        let parts = Self.cleaned(typed).split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw Self.refusal(field) }
        guard parts[0].utf8.allSatisfy({ $0 < 128 }) else {
            throw .invalidArgument(
                field: field,
                "An address can’t have accents or umlauts before the @. Check the address.")
        }
        guard let domain = InternationalDomain.ascii(parts[1]), Self.isLocalPart(parts[0]),
            Self.isDomain(Substring(domain)),
            parts[0].utf8.count + 1 + domain.utf8.count <= Self.longest
        else { throw Self.refusal(field) }
        text = "\(parts[0])@\(domain)"
    }

    /// Returns true if the text contains `@`. Such a text isn't meant as a phone number.
    static func isMeant(by text: String) -> Bool { cleaned(text).contains("@") }

    private static func refusal(_ field: String) -> CommandError {
        .invalidArgument(field: field, RefusalWords.emailAddress.message)
    }

    private static func cleaned(_ typed: String) -> String {
        var text = String(
            String.UnicodeScalarView(
                typed.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint })
        )
        .replacing("\u{FF20}", with: "@").trimmingCharacters(in: .whitespacesAndNewlines)
        let scheme = "mailto:"
        if text.lowercased().hasPrefix(scheme) {
            text = String(text.dropFirst(scheme.count).prefix { $0 != "?" })
        }
        return text
    }

    /// A fixed text, because the address itself must not appear in a log.
    public var description: String { "an e-mail address" }

    public var domain: String { String(text.drop { $0 != "@" }.dropFirst()) }

    /// The mailbox behind all spellings of the address, used as the key for limits. Many providers
    /// deliver `ana+anything@…` to `ana@…`. Google ignores dots and has two domains. Without this
    /// key, a person could get messages at endless addresses.
    public var mailbox: String {
        let name = text.prefix { $0 != "@" && $0 != "+" }.lowercased()
        guard ["gmail.com", "googlemail.com"].contains(domain) else { return "\(name)@\(domain)" }
        return "\(name.replacing(".", with: ""))@gmail.com"
    }

    /// The most characters (RFC 5321, 4.5.3.1, without the angle brackets).
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
            && labels.last?.utf8.contains { !$0.isASCIIDigit } == true
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: false
        }
    }
}

public struct EmailStatus: Codable, Equatable, Sendable {
    /// Where messages go; nil until an address is confirmed.
    public var address: String?
    public var verifiedAt: Date?
    /// An entered address that awaits its code. Messages still go to the previous one.
    public var unverifiedAddress: String?
    public var lastSuccessAt: Date?
    /// When e-mail to the address began to fail; nil while it works.
    public var failingSince: Date?
    /// Why the last message failed, such as `smtp-550`; nil while the address works.
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

/// The limits on entering addresses, per day.
public struct EmailCodeLimits: Equatable, Sendable {
    public var perUser = 5
    public var perAddress = 20
    /// The limit for all users together; 0 for no limit.
    public var inAll = 1_000

    /// The limit for one IPv6 /48.
    public var perNetwork: Int { 5 * perAddress }

    public init() {}

    /// Returns the wait before the next address; nil if it may be entered now.
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

/// When addresses were entered within the last day, in any order.
public struct SentEmailCodes: Equatable, Sendable {
    public var byUser: [Date] = []
    public var fromAddress: [Date] = []
    public var fromNetwork: [Date] = []
    public var inAll: [Date] = []

    public init() {}
}

import Foundation

/// A challenge for an authenticator. It proves itself, so that strangers who ask for challenges
/// store nothing; the server stores only the hashes of used ones.
public struct PasskeyChallenge: Equatable, Sendable {
    public enum Purpose: Equatable, Sendable {
        case signIn
        /// A new passkey of this user.
        case registration(UUID)
    }

    public let expiresAt: Date
    private let random: Data

    public init(expiresAt: Date, random: RandomBytes) {
        self.expiresAt = expiresAt
        self.random = random(Self.randomLength)
    }

    /// Reads a challenge that a client sends back. Returns nil for one that this server didn't
    /// make, or made for another purpose. Doesn't check the expiry.
    public init?(_ text: String, _ purpose: Purpose, key: ServerKey) {
        guard let bytes = Base64URL.decode(text),
            bytes.count == Self.randomLength + Self.timeLength + Self.proofLength
        else { return nil }
        let content = Data(bytes.dropLast(Self.proofLength))
        guard
            key.proves(
                Data(bytes.suffix(Self.proofLength)), Self.name(purpose), content,
                length: Self.proofLength)
        else { return nil }
        let time = content.suffix(Self.timeLength).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        random = Data(content.prefix(Self.randomLength))
        expiresAt = Date(timeIntervalSince1970: Double(time) / 1_000)
    }

    public func text(_ purpose: Purpose, key: ServerKey) -> String {
        Base64URL.encode(
            content + key.derived(Self.name(purpose), content).prefix(Self.proofLength))
    }

    /// The hash that marks the challenge as used.
    public var hash: Data { Digest.sha256(Data("passkey-challenge".utf8) + content) }

    private static let randomLength = 16
    private static let timeLength = 8
    private static let proofLength = 16

    private var content: Data {
        let time = UInt64(max(0, (expiresAt.timeIntervalSince1970 * 1_000).rounded()))
        return random + Data((0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) })
    }

    private static func name(_ purpose: Purpose) -> String {
        switch purpose {
        case .signIn: "passkey-sign-in"
        case .registration(let user): "passkey-registration \(user.uuidString)"
        }
    }
}

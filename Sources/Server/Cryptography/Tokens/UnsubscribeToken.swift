import Foundation

/// The token of the unsubscribe link in an e-mail. It is valid for this user's address until the
/// address is removed. An old message can't unsubscribe an address that was added later.
public struct UnsubscribeToken: Equatable, Sendable {
    public var user: UUID
    /// A prefix of the hash of the address and its verification time.
    public var address: Data

    private static let addressLength = 16
    private static let addressPurpose = "unsubscribe-address"
    private static let purpose = "unsubscribe"
    private static let format = SignedBytes(contentLength: SignedBytes.idLength + addressLength)
    public static let textLength = format.textLength

    public init(user: UUID, address: String, verifiedAt: Date, key: ServerKey) {
        self.user = user
        let content = Self.content(address, verifiedAt)
        self.address = Data(
            key.derived(Self.addressPurpose, content).prefix(Self.addressLength))
    }

    /// - Returns: nil if the text wasn't made with this key.
    public init?(_ text: String, key: ServerKey) {
        guard var fields = Self.format.fields(text, Self.purpose, key: key) else { return nil }
        user = fields.id()
        address = fields.bytes(Self.addressLength)
    }

    public func text(key: ServerKey) -> String {
        Self.format.text(user.bytes + address, Self.purpose, key: key)
    }

    /// Returns true if the token is for this address with this verification time.
    public func isAbout(_ address: String, verifiedAt: Date, key: ServerKey) -> Bool {
        key.proves(
            self.address, Self.addressPurpose, Self.content(address, verifiedAt),
            length: Self.addressLength)
    }

    private static func content(_ address: String, _ verifiedAt: Date) -> Data {
        let milliseconds = Int64((verifiedAt.timeIntervalSince1970 * 1000).rounded())
        return Data("\(milliseconds) \(address)".utf8)
    }
}

import Cryptography
import Domain
import Foundation

/// An authenticator in software, which makes the mistakes that a test asks for.
public struct SoftPasskey: Sendable {
    public let key: P256.PrivateKey
    public let id: Data
    public var origin: String
    public var site: String
    public var counter: UInt32 = 0
    public var isCrossOrigin = false
    /// The kind of ceremony that the device claims; nil for the true one.
    public var type: String?
    /// Presence and verification of the user.
    public var flags: UInt8 = 0x05

    /// - Parameter id: the credential's id; nil for a random one.
    public init(
        origin: String = "https://lifesignal.example", site: String = "lifesignal.example",
        id: Data? = nil, random: RandomBytes = .system
    ) {
        guard let key = P256.PrivateKey(random: random) else { fatalError("no random key") }
        self.key = key
        self.id = id ?? random(16)
        self.origin = origin
        self.site = site
    }

    /// Makes the credential of a new passkey.
    public func registration(_ challenge: String) -> PasskeyRegistration {
        let point = key.publicKey.bytes
        var data = authenticatorData(flags: flags | 0x40)
        data.append(Data(count: 16))
        data.append(Data([0, UInt8(id.count)]))
        data.append(id)
        data.append(Data([0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]))
        data.append(point[1...32])
        data.append(Data([0x22, 0x58, 0x20]))
        data.append(point[33...64])
        // {"fmt": "none", "attStmt": {}, "authData": …}
        var object = Data([0xA3, 0x63])
        object.append(Data("fmt".utf8))
        object.append(0x64)
        object.append(Data("none".utf8))
        object.append(0x67)
        object.append(Data("attStmt".utf8))
        object.append(Data([0xA0, 0x68]))
        object.append(Data("authData".utf8))
        object.append(Data([0x58, UInt8(data.count)]))
        object.append(data)
        return PasskeyRegistration(
            clientDataJSON: client("webauthn.create", challenge),
            attestationObject: Base64URL.encode(object))
    }

    /// Signs in by the passkey.
    public func assertion(_ challenge: String, of user: UserID) throws -> PasskeyAssertion {
        let client = client("webauthn.get", challenge)
        let data = authenticatorData(flags: flags)
        let clientHash = Digest.sha256(Base64URL.decode(client) ?? Data())
        guard let signature = key.signature(of: data + clientHash) else {
            throw CommandError.unavailable("no signature")
        }
        return PasskeyAssertion(
            credentialID: Base64URL.encode(id),
            userHandle: Base64URL.encode(withUnsafeBytes(of: user.uuid.uuid) { Data($0) }),
            clientDataJSON: client, authenticatorData: Base64URL.encode(data),
            signature: Base64URL.encode(Self.der(signature)))
    }

    private func client(_ type: String, _ challenge: String) -> String {
        let json = #"""
            {"type":"\#(self.type ?? type)","challenge":"\#(challenge)","origin":"\#(origin)",
            "crossOrigin":\#(isCrossOrigin)}
            """#
        return Base64URL.encode(Data(json.utf8))
    }

    private func authenticatorData(flags: UInt8) -> Data {
        let count = (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * UInt32($0))) }
        return Digest.sha256(Data(site.utf8)) + Data([flags]) + Data(count)
    }

    /// Encodes r and s as DER.
    private static func der(_ signature: Data) -> Data {
        let bytes = [UInt8](signature)
        let numbers = [bytes.prefix(32), bytes.suffix(32)].flatMap { number -> [UInt8] in
            var digits = Array(number.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            digits.insert(contentsOf: [0x02, UInt8(digits.count)], at: 0)
            return digits
        }
        return Data([0x30, UInt8(numbers.count)]) + Data(numbers)
    }
}

import COpenSSL
import Foundation

/// The public key of a passkey, a COSE key (RFC 9053). libfido2 would bring libudev and drivers for
/// USB keys to the server, and verifies no registration without attestation, which browsers send.
public struct PasskeyKey: Sendable {
    /// The COSE identifiers of ES256, EdDSA and RS256, in the order of preference.
    public static let algorithms = [-7, -8, -257]
    /// The largest stored key: RSA with 4,096 bits.
    private static let limitInBytes = 600

    private enum Kind {
        case es256(P256.PublicKey)
        case ed25519(Data)
        case rs256(modulus: Data, exponent: Data)
    }

    private let kind: Kind

    /// - Returns: nil for anything but a public key of one of the three algorithms.
    public init?(cose: Data) {
        guard cose.count <= Self.limitInBytes, let key = CBOR(cose) else { return nil }
        switch (key[.integer(1)]?.integer, key[.integer(3)]?.integer) {
        case (2, -7):
            guard key[.integer(-1)]?.integer == 1, let x = key[.integer(-2)]?.bytes,
                let y = key[.integer(-3)]?.bytes, x.count == 32, y.count == 32,
                let point = P256.PublicKey(bytes: Data([4]) + x + y)
            else { return nil }
            kind = .es256(point)
        case (1, -8):
            guard key[.integer(-1)]?.integer == 6, let x = key[.integer(-2)]?.bytes,
                x.count == 32
            else { return nil }
            kind = .ed25519(x)
        case (3, -257):
            guard let modulus = key[.integer(-1)]?.bytes, (256...512).contains(modulus.count),
                let exponent = key[.integer(-2)]?.bytes, (1...4).contains(exponent.count)
            else { return nil }
            kind = .rs256(modulus: modulus, exponent: exponent)
        default: return nil
        }
    }

    /// - Parameter signature: DER for ES256.
    public func isValid(_ signature: Data, of message: Data) -> Bool {
        _ = Digest.isReady
        switch kind {
        case .es256(let point):
            guard let key = P256.EVPKey(point) else { return false }
            return withExtendedLifetime(key) {
                verify(signature, message, key.pointer, EVP_sha256())
            }
        case .ed25519(let bytes):
            guard
                let key = EVP_PKEY_new_raw_public_key(
                    NID_ED25519, nil, [UInt8](bytes), bytes.count)
            else {
                ERR_clear_error()
                return false
            }
            defer { EVP_PKEY_free(key) }
            return verify(signature, message, key, nil)
        case .rs256(let modulus, let exponent):
            guard
                let key = lifesignal_rsa_key(
                    [UInt8](modulus), modulus.count, [UInt8](exponent), exponent.count)
            else {
                ERR_clear_error()
                return false
            }
            defer { EVP_PKEY_free(key) }
            return verify(signature, message, key, EVP_sha256())
        }
    }

    private func verify(
        _ signature: Data, _ message: Data, _ key: OpaquePointer, _ digest: OpaquePointer?
    ) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let isValid =
            EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
            && EVP_DigestVerify(
                context, [UInt8](signature), signature.count, [UInt8](message), message.count)
                == 1
        if !isValid { ERR_clear_error() }
        return isValid
    }
}

/// What an authenticator says about itself and the site (WebAuthn, section 6.1).
public struct AuthenticatorData: Equatable, Sendable {
    public struct Credential: Equatable, Sendable {
        public var id: Data
        /// The COSE key.
        public var key: Data
    }

    /// The hash of the site's name.
    public var siteHash: Data
    public var isUserVerified: Bool
    /// Counts signatures; 0 if the authenticator doesn't count.
    public var counter: UInt32
    /// The new credential; nil at sign-in.
    public var credential: Credential?

    /// - Returns: nil for malformed data, and without the user's presence.
    public init?(_ bytes: Data) {
        let bytes = [UInt8](bytes)
        guard (37...4_096).contains(bytes.count) else { return nil }
        let flags = bytes[32]
        guard flags & 0x01 != 0 else { return nil }
        siteHash = Data(bytes[..<32])
        isUserVerified = flags & 0x04 != 0
        counter = bytes[33..<37].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var rest = Data(bytes[37...])
        if flags & 0x40 != 0 {
            // The model's id, and the length of the credential's id.
            guard bytes.count >= 55 else { return nil }
            let length = Int(bytes[53]) << 8 | Int(bytes[54])
            guard (1...1_023).contains(length), bytes.count > 55 + length else { return nil }
            let key = Data(bytes[(55 + length)...])
            guard let read = CBOR.read(key) else { return nil }
            credential = Credential(
                id: Data(bytes[55..<55 + length]),
                key: Data([UInt8](key).dropLast(read.rest.count)))
            rest = read.rest
        }
        if flags & 0x80 != 0 {
            guard let extensions = CBOR.read(rest), case .map = extensions.value else {
                return nil
            }
            rest = extensions.rest
        }
        guard rest.isEmpty else { return nil }
    }

    /// Reads the authenticator data of a registration's attestation object. The attestation itself
    /// isn't read, because every model is accepted.
    public init?(attestation: Data) {
        guard attestation.count <= 16_384, let object = CBOR(attestation),
            object[.text("fmt")]?.text != nil, let data = object[.text("authData")]?.bytes
        else { return nil }
        self.init(data)
    }
}

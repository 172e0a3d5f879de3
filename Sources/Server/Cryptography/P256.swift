import COpenSSL
import Foundation

/// Keys on the curve P-256 (FIPS 186-4; `prime256v1` in OpenSSL).
public enum P256 {
    public struct PublicKey: Sendable, Equatable {
        public static let length = 65
        /// The uncompressed point (SEC 1): the byte 4, then x and y with 32 bytes each.
        public let bytes: Data

        /// - Returns: nil if the bytes are not an uncompressed point on the curve.
        public init?(bytes: Data) {
            guard bytes.count == Self.length, bytes.first == 4,
                Curve.shared?.contains(bytes) == true
            else { return nil }
            self.bytes = Data(bytes)
        }
    }

    public struct PrivateKey: Sendable {
        public static let length = 32
        /// The key as a big-endian number, at least 1 and less than the order of the curve.
        public let bytes: Data
        public let publicKey: PublicKey

        /// - Returns: nil if the bytes are not a private key of this curve.
        public init?(bytes: Data) {
            guard bytes.count == Self.length, let point = Curve.shared?.point(of: bytes),
                let publicKey = PublicKey(bytes: point)
            else { return nil }
            self.bytes = Data(bytes)
            self.publicKey = publicKey
        }

        /// Draws a random key. Draws again if the bytes aren't a valid key, which has a probability
        /// of 2⁻³².
        /// - Returns: nil if several draws fail, which means that the source of randomness is
        ///   broken.
        public init?(random: RandomBytes) {
            for _ in 0..<8 {
                guard let key = PrivateKey(bytes: random(Self.length)) else { continue }
                self = key
                return
            }
            return nil
        }

        /// Returns the ECDH shared secret: the x coordinate of the common point, 32 bytes.
        /// - Returns: nil if libcrypto fails.
        public func sharedSecret(with peer: PublicKey) -> Data? {
            guard let own = EVPKey(self), let other = EVPKey(peer),
                let context = EVP_PKEY_CTX_new(own.pointer, nil)
            else { return nil }
            defer { EVP_PKEY_CTX_free(context) }
            var secret = [UInt8](repeating: 0, count: 32)
            var length = secret.count
            guard EVP_PKEY_derive_init(context) == 1,
                EVP_PKEY_derive_set_peer(context, other.pointer) == 1,
                EVP_PKEY_derive(context, &secret, &length) == 1, length == secret.count
            else {
                ERR_clear_error()
                return nil
            }
            return Data(secret)
        }

        /// Returns an ECDSA signature over the message's SHA-256, as in ES256 (RFC 7518): r and s,
        /// 32 bytes each.
        /// - Returns: nil if libcrypto fails.
        public func signature(of message: Data) -> Data? {
            guard let own = EVPKey(self), let context = EVP_MD_CTX_new() else { return nil }
            defer { EVP_MD_CTX_free(context) }
            // The longest DER encoding of two 32-byte numbers has 72 bytes.
            var der = [UInt8](repeating: 0, count: 80)
            var length = der.count
            guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, own.pointer) == 1,
                EVP_DigestSign(context, &der, &length, [UInt8](message), message.count) == 1
            else {
                ERR_clear_error()
                return nil
            }
            return Self.fixedLength(der.prefix(length))
        }

        private static func fixedLength(_ der: ArraySlice<UInt8>) -> Data? {
            der.withUnsafeBufferPointer { der in
                var start = der.baseAddress
                guard let signature = d2i_ECDSA_SIG(nil, &start, der.count) else { return nil }
                defer { ECDSA_SIG_free(signature) }
                var bytes = [UInt8](repeating: 0, count: 64)
                let isWritten = bytes.withUnsafeMutableBufferPointer { bytes in
                    guard let start = bytes.baseAddress else { return false }
                    return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32) == 32
                        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32) == 32
                }
                return isWritten ? Data(bytes) : nil
            }
        }
    }
}

import COpenSSL
import Foundation

/// Hashes and message authentication with OpenSSL's libcrypto. A package with its own
/// implementation would add minutes to the first build.
public enum Digest {
    /// Initializes libcrypto without its cleanup at exit, because other threads may still be
    /// hashing.
    static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// Returns the SHA-256 hash, 32 bytes.
    public static func sha256(_ bytes: Data) -> Data {
        _ = isReady
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        bytes.withUnsafeBytes { source in
            _ = SHA256(
                source.baseAddress?.assumingMemoryBound(to: UInt8.self), source.count, &digest)
        }
        return Data(digest)
    }

    /// Returns the HMAC (RFC 2104) with SHA-256, 32 bytes.
    public static func hmacSHA256(_ bytes: Data, key: Data) -> Data {
        hmac(bytes, key: key, EVP_sha256(), length: 32)
    }

    /// Returns the HMAC (RFC 2104) with SHA-1, 20 bytes. Only for Twilio's callback signature,
    /// which requires it.
    public static func hmacSHA1(_ bytes: Data, key: Data) -> Data {
        hmac(bytes, key: key, EVP_sha1(), length: 20)
    }

    /// Compares in constant time, so that the duration doesn't reveal the first difference.
    public static func areEqual(_ left: Data, _ right: Data) -> Bool {
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
            }
        }
    }

    private static func hmac(_ bytes: Data, key: Data, _ algorithm: OpaquePointer?, length: Int)
        -> Data
    {
        _ = isReady
        var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var written: UInt32 = 0
        key.withUnsafeBytes { key in
            bytes.withUnsafeBytes { source in
                _ = HMAC(
                    algorithm, key.baseAddress, Int32(key.count),
                    source.baseAddress?.assumingMemoryBound(to: UInt8.self), source.count, &code,
                    &written
                )
            }
        }
        return Data(code.prefix(length))
    }
}

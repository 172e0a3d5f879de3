import Foundation

/// Derives keys from one secret (RFC 5869).
public enum HKDF {
    /// - Parameter length: the length of the result in bytes, at most 8,160 (255 hashes).
    public static func sha256(_ secret: Data, salt: Data, info: Data, length: Int) -> Data {
        let key = Digest.hmacSHA256(secret, key: salt)
        var (result, block) = (Data(), Data())
        for number in UInt8(1)...255 {
            if result.count >= length { break }
            block = Digest.hmacSHA256(block + info + [number], key: key)
            result += block
        }
        return result.prefix(max(length, 0))
    }
}

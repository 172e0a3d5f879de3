import COpenSSL
import Foundation

/// Authenticated encryption with AES-128 (NIST SP 800-38D).
public enum AES128GCM {
    public static let keyLength = 16
    public static let nonceLength = 12
    public static let tagLength = 16

    /// Returns the ciphertext followed by its tag. A nonce must not be reused with the same key,
    /// because that reveals both messages.
    /// - Parameter associated: bytes that are authenticated but not encrypted. `open` needs the
    ///   same bytes.
    /// - Returns: nil if the key or the nonce has the wrong length, or libcrypto fails.
    public static func seal(
        _ plaintext: Data, key: Data, nonce: Data, associated: Data = Data()
    ) -> Data? {
        _ = Digest.isReady
        guard key.count == keyLength, nonce.count == nonceLength,
            let length = Int32(exactly: plaintext.count),
            let associatedLength = Int32(exactly: associated.count),
            let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: plaintext.count + tagLength)
        var (written, end): (Int32, Int32) = (0, 0)
        let isSealed = sealed.withUnsafeMutableBufferPointer { sealed in
            guard let start = sealed.baseAddress,
                EVP_EncryptInit_ex2(
                    context, EVP_aes_128_gcm(), [UInt8](key), [UInt8](nonce), nil) == 1,
                EVP_EncryptUpdate(
                    context, nil, &written, [UInt8](associated), associatedLength) == 1,
                EVP_EncryptUpdate(context, start, &written, [UInt8](plaintext), length) == 1,
                written == length,
                EVP_EncryptFinal_ex(context, start + Int(written), &end) == 1
            else { return false }
            return EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), start + Int(written)) == 1
        }
        return isSealed ? Data(sealed) : nil
    }

    /// Decrypts the result of `seal`.
    /// - Returns: nil if any argument differs from that of `seal`.
    public static func open(
        _ sealed: Data, key: Data, nonce: Data, associated: Data = Data()
    ) -> Data? {
        _ = Digest.isReady
        guard key.count == keyLength, nonce.count == nonceLength, sealed.count >= tagLength,
            let length = Int32(exactly: sealed.count - tagLength),
            let associatedLength = Int32(exactly: associated.count),
            let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var tag = [UInt8](sealed.suffix(tagLength))
        // One extra byte, so that the buffer of an empty text has an address.
        var plaintext = [UInt8](repeating: 0, count: Int(length) + 1)
        var (written, end): (Int32, Int32) = (0, 0)
        let isOpen = plaintext.withUnsafeMutableBufferPointer { plaintext in
            guard let start = plaintext.baseAddress,
                EVP_DecryptInit_ex2(
                    context, EVP_aes_128_gcm(), [UInt8](key), [UInt8](nonce), nil) == 1,
                EVP_DecryptUpdate(
                    context, nil, &written, [UInt8](associated), associatedLength) == 1,
                EVP_DecryptUpdate(
                    context, start, &written, [UInt8](sealed.dropLast(tagLength)), length) == 1,
                written == length,
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), &tag) == 1
            else { return false }
            return EVP_DecryptFinal_ex(context, start + Int(written), &end) == 1
        }
        ERR_clear_error()
        return isOpen ? Data(plaintext.prefix(Int(length))) : nil
    }
}

import COpenSSL
import Foundation

/// Reads private keys in PEM (RFC 7468), such as PKCS #8 (RFC 5958).
enum PEM {
    /// The maximum length in bytes. An RSA key with 16,384 bits takes 13 kB.
    static let lengthLimit = 32_768

    /// - Returns: nil if the text contains no key, or a password-protected one.
    static func privateKey(_ text: String) -> OpaquePointer? {
        _ = Digest.isReady
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= lengthLimit else { return nil }
        // The source doesn't copy the bytes. Without this scope, an optimised build frees them
        // before they are read.
        return bytes.withUnsafeBytes { bytes in
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                return nil
            }
            defer { BIO_free(source) }
            // libcrypto's own callback would ask for a password on the terminal.
            let key = PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
            if key == nil { ERR_clear_error() }
            return key
        }
    }
}

extension P256.PrivateKey {
    /// Reads a key of this curve.
    /// - Parameter pem: PKCS #8 without a password, as Apple issues it (`.p8`).
    /// - Returns: nil if the text is anything else.
    public init?(pem: String) {
        guard let key = PEM.privateKey(pem) else { return nil }
        defer { EVP_PKEY_free(key) }
        var name = [CChar](repeating: 0, count: 32)
        var length = 0
        guard EVP_PKEY_is_a(key, "EC") == 1,
            EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1,
            String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
                == "prime256v1"
        else {
            ERR_clear_error()
            return nil
        }
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1, let number
        else {
            ERR_clear_error()
            return nil
        }
        defer { BN_clear_free(number) }
        var bytes = [UInt8](repeating: 0, count: Self.length)
        defer { OPENSSL_cleanse(&bytes, bytes.count) }
        guard BN_bn2binpad(number, &bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            return nil
        }
        self.init(bytes: Data(bytes))
    }
}

/// An RSA private key.
// `@unchecked Sendable`: the key never changes after `init`, and libcrypto can sign with one key on
// several threads.
public final class RSAPrivateKey: @unchecked Sendable {
    /// The minimum key length in bits, as RFC 7518 requires.
    public static let shortest = 2_048
    private let key: OpaquePointer

    /// - Parameter pem: PKCS #8 without a password, as Google issues it.
    /// - Returns: nil if the text is anything else, or the key is shorter than `shortest`.
    public init?(pem: String) {
        guard let key = PEM.privateKey(pem) else { return nil }
        guard EVP_PKEY_is_a(key, "RSA") == 1, EVP_PKEY_get_bits(key) >= Int32(Self.shortest) else {
            EVP_PKEY_free(key)
            return nil
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Returns an RSASSA-PKCS1-v1_5 signature over the message's SHA-256, as in RS256 (RFC 7518).
    /// - Returns: nil if libcrypto fails.
    public func signature(of message: Data) -> Data? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var bytes = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
        var length = bytes.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &bytes, &length, [UInt8](message), message.count) == 1
        else {
            ERR_clear_error()
            return nil
        }
        return Data(bytes.prefix(length))
    }
}

/// A signed JSON Web Token (RFC 7519) in compact form.
public enum JSONWebToken {
    /// - Parameters:
    ///   - header: must name the algorithm of `sign`.
    ///   - sign: returns the signature, or nil if signing fails.
    public static func text(
        header: some Encodable, claims: some Encodable, sign: (Data) -> Data?
    ) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let header = try? encoder.encode(header), let claims = try? encoder.encode(claims)
        else { return nil }
        let message = "\(Base64URL.encode(header)).\(Base64URL.encode(claims))"
        return sign(Data(message.utf8)).map { "\(message).\(Base64URL.encode($0))" }
    }
}

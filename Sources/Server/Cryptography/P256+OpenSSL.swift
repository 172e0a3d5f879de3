import COpenSSL
import Foundation

extension P256 {
    /// The curve's arithmetic in libcrypto.
    // `@unchecked Sendable`: the group is never written after `init`.
    final class Curve: @unchecked Sendable {
        /// nil if this libcrypto lacks the curve.
        static let shared = Curve()
        private let group: OpaquePointer

        private init?() {
            _ = Digest.isReady
            guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else { return nil }
            self.group = group
        }

        deinit { EC_GROUP_free(group) }

        func contains(_ bytes: Data) -> Bool {
            guard let point = EC_POINT_new(group) else { return false }
            defer { EC_POINT_free(point) }
            // Fails for a point that is not on the curve.
            guard EC_POINT_oct2point(group, point, [UInt8](bytes), bytes.count, nil) == 1 else {
                ERR_clear_error()
                return false
            }
            return true
        }

        /// Returns the uncompressed public point of a private key; nil if the key is zero or too
        /// large.
        func point(of privateKey: Data) -> Data? {
            guard let scalar = BN_secure_new(), let point = EC_POINT_new(group) else { return nil }
            defer {
                BN_clear_free(scalar)
                EC_POINT_free(point)
            }
            BN_bin2bn([UInt8](privateKey), Int32(privateKey.count), scalar)
            // The duration of the multiplication must not reveal the key.
            BN_set_flags(scalar, BN_FLG_CONSTTIME)
            var bytes = [UInt8](repeating: 0, count: PublicKey.length)
            guard BN_is_zero(scalar) == 0, BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0,
                EC_POINT_mul(group, point, scalar, nil, nil, nil) == 1,
                EC_POINT_point2oct(
                    group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
                    == bytes.count
            else {
                ERR_clear_error()
                return nil
            }
            return Data(bytes)
        }
    }

    /// A key as libcrypto's high-level functions take it.
    final class EVPKey {
        let pointer: OpaquePointer

        convenience init?(_ key: PublicKey) {
            self.init(point: key.bytes, privateKey: nil, selection: lifesignal_public_key)
        }

        convenience init?(_ key: PrivateKey) {
            self.init(
                point: key.publicKey.bytes, privateKey: key.bytes, selection: lifesignal_key_pair)
        }

        deinit { EVP_PKEY_free(pointer) }

        private init?(point: Data, privateKey: Data?, selection: Int32) {
            guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
            defer { EVP_PKEY_CTX_free(context) }
            guard EVP_PKEY_fromdata_init(context) == 1 else { return nil }
            var point = [UInt8](point)
            // libcrypto expects numbers in the machine's byte order.
            var number = privateKey.map { Self.nativeOrder($0) } ?? []
            defer { OPENSSL_cleanse(&number, number.count) }
            var key: OpaquePointer?
            let isMade = point.withUnsafeMutableBytes { point in
                number.withUnsafeMutableBytes { number in
                    var parameters = [
                        OSSL_PARAM_construct_utf8_string(
                            Self.pointer("group"), Self.pointer("prime256v1"), 0),
                        OSSL_PARAM_construct_octet_string(
                            Self.pointer("pub"), point.baseAddress, point.count),
                    ]
                    if privateKey != nil {
                        parameters.append(
                            OSSL_PARAM_construct_BN(
                                Self.pointer("priv"), number.baseAddress, number.count))
                    }
                    parameters.append(OSSL_PARAM_construct_end())
                    return EVP_PKEY_fromdata(context, &key, selection, &parameters) == 1
                }
            }
            guard isMade, let key else {
                ERR_clear_error()
                return nil
            }
            pointer = key
        }

        private static func nativeOrder(_ bytes: Data) -> [UInt8] {
            1.littleEndian == 1 ? bytes.reversed() : [UInt8](bytes)
        }

        /// Returns a pointer to the text of a parameter. libcrypto keeps the pointer, and only
        /// reads from it.
        private static func pointer(_ text: StaticString) -> UnsafeMutablePointer<CChar> {
            UnsafeMutableRawPointer(mutating: text.utf8Start).assumingMemoryBound(to: CChar.self)
        }
    }
}

import COpenSSL
import Foundation
import Testing

@testable import Cryptography

@Suite struct P256Tests {
    /// The order of the curve.
    private let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"

    @Test func theSharedSecretIsThatOfRFC5903() throws {
        // From section 8.1 of RFC 5903: the keys of the initiator and of the responder.
        let initiator = try #require(
            P256.PrivateKey(
                bytes: hex("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433")))
        let responder = try #require(
            P256.PrivateKey(
                bytes: hex("c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53")))
        let publicKey =
            "04"
            + "dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c3772581180"
            + "5271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3"
        #expect(initiator.publicKey.bytes == hex(publicKey))
        let secret = hex("d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de")
        #expect(initiator.sharedSecret(with: responder.publicKey) == secret)
        #expect(responder.sharedSecret(with: initiator.publicKey) == secret)
    }

    @Test func privateKeysLieBetweenOneAndTheOrder() {
        let least = Data(count: 31) + [1]
        #expect(P256.PrivateKey(bytes: Data(count: 32)) == nil)
        #expect(P256.PrivateKey(bytes: least) != nil)
        #expect(P256.PrivateKey(bytes: hex(String(order.dropLast()) + "0")) != nil)
        #expect(P256.PrivateKey(bytes: hex(order)) == nil)
        #expect(P256.PrivateKey(bytes: Data(repeating: 0xFF, count: 32)) == nil)
        for count in [0, 1, 31, 33, 64] {
            #expect(P256.PrivateKey(bytes: Data(repeating: 1, count: count)) == nil)
        }
    }

    @Test func publicKeysAreUncompressedPointsOnTheCurve() throws {
        let point = try #require(P256.PrivateKey(random: .system)).publicKey.bytes
        #expect(P256.PublicKey(bytes: point)?.bytes == point)
        // A slice, whose indices don't begin at 0.
        #expect(P256.PublicKey(bytes: (Data([9]) + point).dropFirst())?.bytes == point)
        for index in [1, 32, 33, 64] {
            var other = point
            other[index] ^= 1
            #expect(P256.PublicKey(bytes: other) == nil)
        }
        // Encodings to be rejected: a hybrid point, a compressed point, the point at infinity, and
        // coordinates that are not in the field.
        let hybrid = Data([6 + (point[64] & 1)]) + point.dropFirst()
        #expect(P256.PublicKey(bytes: hybrid) == nil)
        #expect(P256.PublicKey(bytes: Data([2 + (point[64] & 1)]) + point[1...32]) == nil)
        #expect(P256.PublicKey(bytes: Data([0])) == nil)
        #expect(P256.PublicKey(bytes: Data(count: 65)) == nil)
        #expect(P256.PublicKey(bytes: Data([4]) + Data(count: 64)) == nil)
        #expect(P256.PublicKey(bytes: Data([4]) + Data(repeating: 0xFF, count: 64)) == nil)
        #expect(P256.PublicKey(bytes: point + [0]) == nil)
        #expect(P256.PublicKey(bytes: point.dropLast()) == nil)
        #expect(P256.PublicKey(bytes: Data()) == nil)
    }

    @Test func privateKeyNeedsAValidDraw() throws {
        let drawn = try #require(
            P256.PrivateKey(random: RandomBytes { _ in Data(count: 31) + [7] }))
        #expect(drawn.bytes.last == 7)
        #expect(P256.PrivateKey(random: RandomBytes { Data(count: $0) }) == nil)
        #expect(P256.PrivateKey(random: RandomBytes { _ in Data() }) == nil)
        #expect(P256.PrivateKey(random: RandomBytes { Data(repeating: 0xFF, count: $0) }) == nil)
    }

    @Test func aSignatureHas64BytesAndIsOfOneMessageAndKey() throws {
        let key = try #require(P256.PrivateKey(random: .system))
        let other = try #require(P256.PrivateKey(random: .system))
        // One of 256 numbers begins with a zero byte, which DER omits. `signature` must restore it.
        for number in 0..<600 {
            let message = Data("message \(number)".utf8)
            let signature = try #require(key.signature(of: message))
            #expect(signature.count == 64)
            #expect(verifies(signature, of: message, by: key.publicKey))
            if number < 5 {
                #expect(!verifies(signature, of: message + [0], by: key.publicKey))
                #expect(!verifies(signature, of: message, by: other.publicKey))
            }
        }
        let empty = try #require(key.signature(of: Data()))
        #expect(verifies(empty, of: Data(), by: key.publicKey))
    }

    private func verifies(_ signature: Data, of message: Data, by key: P256.PublicKey) -> Bool {
        guard let key = P256.EVPKey(key), let context = EVP_MD_CTX_new(),
            let numbers = ECDSA_SIG_new()
        else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ECDSA_SIG_free(numbers)
            ERR_clear_error()
        }
        let bytes = [UInt8](signature)
        ECDSA_SIG_set0(
            numbers, BN_bin2bn(Array(bytes[..<32]), 32, nil),
            BN_bin2bn(Array(bytes[32...]), 32, nil))
        var der: UnsafeMutablePointer<UInt8>?
        let length = i2d_ECDSA_SIG(numbers, &der)
        defer { CRYPTO_free(der, nil, 0) }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1
            && EVP_DigestVerify(context, der, Int(length), [UInt8](message), message.count) == 1
    }
}

@Suite struct EncryptionTests {
    @Test func derivedKeysAreThoseOfRFC5869() {
        // Test cases 1 to 3 of RFC 5869, appendix A.
        let first = HKDF.sha256(
            Data(repeating: 0x0B, count: 22), salt: Data(0...12), info: Data(0xF0...0xF9),
            length: 42)
        #expect(
            first
                == hex(
                    "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                        + "34007208d5b887185865"))
        let second = HKDF.sha256(
            Data(0...0x4F), salt: Data(0x60...0xAF), info: Data(0xB0...0xFF), length: 82)
        #expect(
            second
                == hex(
                    "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                        + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                        + "cc30c58179ec3e87c14c01d5c1f3434f1d87"))
        let third = HKDF.sha256(
            Data(repeating: 0x0B, count: 22), salt: Data(), info: Data(), length: 42)
        #expect(
            third
                == hex(
                    "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                        + "9d201395faa4b61a96c8"))
    }

    @Test func noLengthOfADerivedKeyIsTooMuch() {
        func length(_ asked: Int) -> Int {
            HKDF.sha256(Data([1]), salt: Data([2]), info: Data([3]), length: asked).count
        }
        #expect([-1, 0, 1, 32, 33].map(length) == [0, 0, 1, 32, 33])
        #expect([8_159, 8_160, 8_161, .max].map(length) == [8_159, 8_160, 8_160, 8_160])
    }

    @Test func sealedTextIsThatOfTheGCMSpecification() {
        // Test cases 1 and 2 of "The Galois/Counter Mode of Operation", appendix B.
        let (key, nonce) = (Data(count: 16), Data(count: 12))
        #expect(
            AES128GCM.seal(Data(), key: key, nonce: nonce)
                == hex("58e2fccefa7e3061367f1d57a4e7455a"))
        #expect(
            AES128GCM.seal(Data(count: 16), key: key, nonce: nonce)
                == hex("0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"))
    }

    @Test(arguments: [(0, 12), (15, 12), (17, 12), (32, 12), (16, 0), (16, 11), (16, 13)])
    func otherLengthsOfKeyAndNonceAreRefused(key: Int, nonce: Int) {
        #expect(AES128GCM.seal(Data([1]), key: Data(count: key), nonce: Data(count: nonce)) == nil)
    }
}

@Suite struct Base64URLTests {
    @Test func textIsReadWithAndWithoutPadding() {
        for count in 0..<40 {
            let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 83 &+ 251) })
            let text = Base64URL.encode(bytes)
            let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            #expect(Base64URL.decode(text) == bytes)
            #expect(Base64URL.decode(text + padding) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "AA=", "AAA==", "AAAA=", "AAAA====", "=", "==", "====", "AA==AA==", "A===",
        "AA+A", "AA/A", "AA A", "AAA\n", "AAÄA", "AA\u{0}A", "AA=A",
    ])
    func otherTextIsRefused(text: String) { #expect(Base64URL.decode(text) == nil) }
}

func hex(_ text: String) -> Data {
    var rest = text[...]
    var bytes = Data()
    while let byte = UInt8(rest.prefix(2), radix: 16) {
        bytes.append(byte)
        rest = rest.dropFirst(2)
    }
    return bytes
}

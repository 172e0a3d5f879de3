import Foundation
import Testing

@testable import Cryptography

@Suite struct PasskeyTests {
    // MARK: CBOR

    @Test func valuesOfRFC8949AreRead() {
        #expect(CBOR(hex("00")) == .integer(0))
        #expect(CBOR(hex("1818")) == .integer(24))
        #expect(CBOR(hex("1903e8")) == .integer(1_000))
        #expect(CBOR(hex("3903e7")) == .integer(-1_000))
        #expect(CBOR(hex("1b7fffffffffffffff")) == .integer(.max))
        #expect(CBOR(hex("4401020304")) == .bytes(hex("01020304")))
        #expect(CBOR(hex("6449455446")) == .text("IETF"))
        #expect(CBOR(hex("83010203")) == .array([.integer(1), .integer(2), .integer(3)]))
        #expect(CBOR(hex("a201020304"))?[.integer(3)] == .integer(4))
        #expect(CBOR(hex("f5")) == .boolean(true))
        #expect(CBOR(hex("f6")) == .null)
    }

    @Test(arguments: [
        "", "18", "1b8000000000000000", "44010203", "5f42010243030405ff", "62c328", "8201",
        "a101", "a201020102", "c074", "fb3ff199999999999a", "0000", "9b7fffffffffffffff",
        "bb7fffffffffffffff", "5b7fffffffffffffff", "818181818100",
    ])
    func otherBytesAreRefused(text: String) {
        #expect(CBOR(hex(text)) == nil)
    }

    /// Comparing each key with all others would take the square of their number.
    @Test func mapHasAtMost32Entries() {
        func map(_ count: UInt8) -> Data {
            Data([0xB8, count]) + Data((0..<count).flatMap { [0x18, $0, 0xF6] as [UInt8] })
        }
        #expect(CBOR(map(32))?[.integer(31)] == .null)
        #expect(CBOR(map(33)) == nil)
    }

    // MARK: Keys

    @Test func ed25519IsThatOfRFC8032() throws {
        let point = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
        let signature = hex(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")
        let key = try #require(PasskeyKey(cose: hex("a401010327200621" + "5820" + point)))
        #expect(key.isValid(signature, of: Data([0x72])))
        #expect(!key.isValid(signature, of: Data([0x73])))
        #expect(!key.isValid(Data(signature.dropLast()), of: Data([0x72])))
    }

    /// Made by OpenSSL 3.0: `openssl dgst -sha256 -sign`.
    @Test func rs256VerifiesOpenSSLsSignature() throws {
        let modulus =
            "c05e29ae3787e7264e0602dbc0d0ba0b962fcf76a330381b4dbb679cb3c888142f9e7c877cacf2b4"
            + "bce148fc1da6d06f0f5bb7492674542e36b43a9a4e85472af48f2ef29bea8a85c03075430161b585"
            + "87736abc9b2a48662751c7bdafb7e56af04db9fa6b4159deefd79749e6a194302955d6b87165a98d"
            + "e4670aaf3586fd017f857e0d8dfdb19a8cdc5d14eda177ef2013c4c91d2358075e57c3c79a429e02"
            + "e3a2dc6c617cbbb1b60d12ef950577a094de4bf441900b005b84f25b00ccad052660dfba4c97e0eb"
            + "304638ebc5932183befc5b4a0e8fc6700f66beff3c65565125c61736a8c30a3ea3f865d09ef92249"
            + "45c423a446906fb618455d4073122a01"
        let signature = hex(
            "53fdb4c644d01be83b4e3a41c967585526bd0b57828f93d41bc7d07a91e326f9efb9e8fc00546f37"
                + "c6e81a42512124756af993e340d5ea6c80bd607e1b805812f8cc0b98d38ed370ca21a10915"
                + "12423ea80e56537a686a654d9e4fb565d9a094214b36d165b7181b7c0c00b44bda002906202f"
                + "2e25a808a91efe1b298b90244c311c2fa6257c1ca7ae93fbdfd82e99bf2a15e85ac94ba53d91"
                + "5246299bb203e48db23d55405869165a9de77de4f8e042afa0ef0c6f24c03df5696081a7b7a8"
                + "1cef69cb4962bd45b96dc8103927041088d7f378c9d1e6a1acd3e45061b7ea462e23ec628490"
                + "55f5dd55db7d184b6c5ab112c98386f66a9c88f7f9a090fe8d5dfb")
        let cose = hex("a401030339010020590100" + modulus + "2143010001")
        let key = try #require(PasskeyKey(cose: cose))
        #expect(key.isValid(signature, of: Data("passkey".utf8)))
        #expect(!key.isValid(signature, of: Data("other".utf8)))
    }

    @Test func keysOfOtherKindsAreRefused() {
        let zeros = String(repeating: "00", count: 32)
        // Not on the curve, an unknown algorithm, a short number, and no map.
        #expect(PasskeyKey(cose: hex("a5010203262001215820\(zeros)225820\(zeros)")) == nil)
        #expect(PasskeyKey(cose: hex("a401010326200621" + "5820" + zeros)) == nil)
        #expect(PasskeyKey(cose: hex("a4010103272006214100")) == nil)
        #expect(PasskeyKey(cose: hex("80")) == nil)
    }

    // MARK: Authenticator data

    @Test func authenticatorDataIsRead() throws {
        let site = Data(repeating: 7, count: 32)
        let data = try #require(AuthenticatorData(site + [0x05] + [0, 0, 1, 2]))
        #expect(data.siteHash == site && data.isUserVerified && data.counter == 258)
        #expect(data.credential == nil)
        #expect(AuthenticatorData(site + [0x01, 0, 0, 0, 0])?.isUserVerified == false)
        // Without the user's presence, too short, and with bytes after the end.
        #expect(AuthenticatorData(site + [0x04, 0, 0, 0, 0]) == nil)
        #expect(AuthenticatorData(site + [0x05, 0, 0, 0]) == nil)
        #expect(AuthenticatorData(site + [0x05, 0, 0, 0, 0, 0]) == nil)
    }

    // MARK: Challenges

    @Test func challengeIsValidForItsPurposeAndKeyOnly() throws {
        let key = try #require(ServerKey(bytes: Data(repeating: 1, count: 32)))
        let other = try #require(ServerKey(bytes: Data(repeating: 2, count: 32)))
        let user = UUID()
        let challenge = PasskeyChallenge(
            expiresAt: Date(timeIntervalSince1970: 1_772_366_400.007), random: .system)
        let text = challenge.text(.registration(user), key: key)
        let read = try #require(PasskeyChallenge(text, .registration(user), key: key))
        #expect(read.hash == challenge.hash)
        #expect(abs(read.expiresAt.timeIntervalSince(challenge.expiresAt)) < 0.001)
        #expect(PasskeyChallenge(text, .registration(user), key: other) == nil)
        #expect(PasskeyChallenge(text, .registration(UUID()), key: key) == nil)
        #expect(PasskeyChallenge(text, .signIn, key: key) == nil)
        #expect(PasskeyChallenge(String(text.dropLast()), .registration(user), key: key) == nil)
    }
}

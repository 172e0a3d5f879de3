import Foundation
import PEMKeys
import Testing

@testable import Cryptography

@Suite struct PEMTests {
    @Test func aKeyOnP256IsRead() throws {
        let key = try #require(P256.PrivateKey(pem: TestKeys.ec))
        #expect(
            key.bytes == hex("59f206c2996e91858154fb81f8419ef039561151a6e9994ee90a418f895e83bb"))
        #expect(key.publicKey.bytes.prefix(5) == hex("045888e6e2"))
        #expect(P256.PrivateKey(pem: TestKeys.ec + "\n\n") != nil)
    }

    @Test(arguments: [
        TestKeys.ec384, TestKeys.encrypted, TestKeys.rsa, "", "no key",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
        String(repeating: "A", count: PEM.lengthLimit + 1),
    ])
    func anythingElseIsNoKeyOnP256(text: String) {
        #expect(P256.PrivateKey(pem: text) == nil)
    }

    @Test(arguments: [TestKeys.ec, TestKeys.rsa1024, TestKeys.encrypted, "", "no key"])
    func anythingElseIsNoKeyOfRSA(text: String) {
        #expect(RSAPrivateKey(pem: text) == nil)
    }

    /// The expected hash is that of a signature by `openssl dgst -sha256 -sign`.
    @Test func aSignatureIsThatOfOpenSSL() throws {
        let key = try #require(RSAPrivateKey(pem: TestKeys.rsa))
        let signature = try #require(key.signature(of: Data("message".utf8)))
        #expect(signature.count == 256)
        #expect(
            Digest.sha256(signature)
                == hex("47120b839feabdc48be3ec1aed68ba2b8c2471f42e555ef937211f0e76f45c36"))
    }

    @Test func aTokenHasThreePartsAndAFailedSignatureHasNone() throws {
        struct Part: Encodable { var a = 1 }
        let text = JSONWebToken.text(header: Part(), claims: Part()) { _ in Data([1, 2, 3]) }
        #expect(text == "eyJhIjoxfQ.eyJhIjoxfQ.AQID")
        #expect(JSONWebToken.text(header: Part(), claims: Part()) { _ in nil } == nil)
    }
}

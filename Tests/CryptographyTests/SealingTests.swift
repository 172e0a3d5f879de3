import Cryptography
import Foundation
import Testing

@Suite struct SealingTests {
    private let key = Data(0..<16)
    private let nonce = Data(0..<12)

    private func serverKey(_ byte: UInt8) throws -> ServerKey {
        try #require(ServerKey(bytes: Data(repeating: byte, count: 32)))
    }

    /// Test case 4 in McGrew and Viega, "The Galois/Counter Mode of Operation".
    @Test func aKnownTextWithAssociatedBytes() throws {
        func bytes(_ hex: String) throws -> Data {
            Data(
                try stride(from: 0, to: hex.count, by: 2).map { start in
                    try #require(UInt8(hex.dropFirst(start).prefix(2), radix: 16))
                })
        }
        let key = try bytes("feffe9928665731c6d6a8f9467308308")
        let nonce = try bytes("cafebabefacedbaddecaf888")
        let associated = try bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let text = try bytes(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
        let sealed = try bytes(
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
                + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
                + "5bc94fbc3221a5db94fae95ae7121a47")
        #expect(
            AES128GCM.seal(text, key: key, nonce: nonce, associated: associated) == sealed)
        #expect(
            AES128GCM.open(sealed, key: key, nonce: nonce, associated: associated) == text)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 4_000]) func whatWasSealedOpens(length: Int) throws {
        let text = RandomBytes.system(length)
        let sealed = try #require(AES128GCM.seal(text, key: key, nonce: nonce))
        #expect(AES128GCM.open(sealed, key: key, nonce: nonce) == text)
    }

    @Test func nothingElseOpens() throws {
        let text = Data("secret".utf8)
        let name = Data("name".utf8)
        let sealed = try #require(
            AES128GCM.seal(text, key: key, nonce: nonce, associated: name))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(AES128GCM.open(changed, key: key, nonce: nonce, associated: name) == nil)
        }
        let otherKey = Data(1..<17)
        #expect(AES128GCM.open(sealed, key: otherKey, nonce: nonce, associated: name) == nil)
        #expect(AES128GCM.open(sealed, key: key, nonce: Data(1..<13), associated: name) == nil)
        #expect(AES128GCM.open(sealed, key: key, nonce: nonce) == nil)
        #expect(AES128GCM.open(sealed.dropLast(), key: key, nonce: nonce) == nil)
        #expect(AES128GCM.open(Data(), key: key, nonce: nonce) == nil)
        #expect(AES128GCM.open(sealed, key: Data(), nonce: nonce) == nil)
    }

    @Test func aServersSecretOpensByItsKeyAndNameOnly() throws {
        let (own, other) = (try serverKey(1), try serverKey(2))
        let secret = Data("secret".utf8)
        let sealed = try #require(own.seal(secret, name: "vapid", random: .system))
        #expect(own.open(sealed, name: "vapid") == secret)
        #expect(own.open(sealed, name: "other") == nil)
        #expect(other.open(sealed, name: "vapid") == nil)
        #expect(own.open(Data(), name: "vapid") == nil)
        #expect(own.seal(secret, name: "vapid", random: .system) != sealed)
    }

    @Test func aReceiptComesBackAsItWasGiven() throws {
        let key = try serverKey(1)
        let token = ReceiptToken(
            person: UUID(), delivery: UUID(), expiresAt: Date(timeIntervalSince1970: 1_700_000_000))
        let text = token.text(key: key)
        #expect(text.utf8.count == ReceiptToken.textLength)
        #expect(ReceiptToken(text, key: key) == token)
        #expect(ReceiptToken(text, key: try serverKey(2)) == nil)
        var characters = Array(text)
        for index in characters.indices {
            let old = characters[index]
            characters[index] = old == "A" ? "B" : "A"
            #expect(ReceiptToken(String(characters), key: key) == nil)
            characters[index] = old
        }
        for wrong in ["", text + "A", String(text.dropLast()), "+" + text.dropFirst()] {
            #expect(ReceiptToken(wrong, key: key) == nil)
        }
    }

    @Test func topicsDifferByPersonAndSubject() throws {
        let key = try serverKey(1)
        let (ada, ben) = (UUID(), UUID())
        let topics = [
            key.pushTopic(person: ada, subject: "alert 1"),
            key.pushTopic(person: ada, subject: "alert 2"),
            key.pushTopic(person: ben, subject: "alert 1"),
            try serverKey(2).pushTopic(person: ada, subject: "alert 1"),
        ]
        #expect(Set(topics).count == 4 && topics.allSatisfy { $0.count == 16 })
        #expect(key.pushTopic(person: ada, subject: "alert 1") == topics[0])
    }
}

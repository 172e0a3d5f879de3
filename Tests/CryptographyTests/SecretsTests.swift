import Foundation
import Testing

@testable import Cryptography

@Suite struct SecretsTests {
    private func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

    @Test func sha256MatchesThePublishedVectors() {
        #expect(
            hex(Digest.sha256(Data()))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            hex(Digest.sha256(Data("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func hmacMatchesRFC4231AndRFC2202() {
        let key = Data("Jefe".utf8)
        let message = Data("what do ya want for nothing?".utf8)
        #expect(
            hex(Digest.hmacSHA256(message, key: key))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            hex(Digest.hmacSHA1(message, key: key)) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
    }

    @Test func comparisonSeesLengthAndContent() {
        #expect(Digest.areEqual(Data([1, 2, 3]), Data([1, 2, 3])))
        #expect(!Digest.areEqual(Data([1, 2, 3]), Data([1, 2, 4])))
        #expect(!Digest.areEqual(Data([1, 2, 3]), Data([1, 2])))
        #expect(Digest.areEqual(Data(), Data()))
    }

    @Test func refreshTokensOfOneFamilyBeginAlikeAndDifferInTheRest() throws {
        let random = RandomBytes.system
        let first = random.refreshToken()
        let next = random.refreshToken(family: first.family)
        #expect(
            first.family.count == 16 && next.family == first.family
                && next.familyHash == first.familyHash)
        #expect(next.text.count == 43 && next != first && next.hash != first.hash)
        #expect(random.refreshToken().family != first.family)
        let read = try #require(Token(next.text))
        #expect(read.familyHash == first.familyHash && read.familyHash.count == 32)
        #expect(Token(random: Data(0..<32)).family == Data(0..<16))
    }

    @Test func aTokenIsReadBackAndNothingElseIs() {
        let token = Token(random: Data(0..<32))
        #expect(token.text.utf8.count == 43)
        #expect(Token(token.text)?.hash == token.hash)
        #expect(Token(String(token.text.dropLast())) == nil)
        #expect(Token(token.text + "A") == nil)
        #expect(Token(String(token.text.dropLast()) + "+") == nil)
    }

    @Test func webhookTokenOpensOnlyForItsEndpoint() throws {
        let key = try #require(ServerKey(bytes: Data(repeating: 1, count: 32)))
        let other = try #require(ServerKey(bytes: Data(repeating: 2, count: 32)))
        let (ada, ben, endpoint) = (UUID(), UUID(), UUID())
        let token = "tk_\u{E9}"
        let sealed = try #require(
            key.seal(webhookToken: token, user: ada, endpoint: endpoint, random: .system))
        #expect(sealed.range(of: Data("tk_".utf8)) == nil)
        #expect(key.open(webhookToken: sealed, user: ada, endpoint: endpoint) == token)
        #expect(key.open(webhookToken: sealed, user: ben, endpoint: endpoint) == nil)
        #expect(key.open(webhookToken: sealed, user: ada, endpoint: UUID()) == nil)
        #expect(other.open(webhookToken: sealed, user: ada, endpoint: endpoint) == nil)
        #expect(key.open(webhookToken: Data(), user: ada, endpoint: endpoint) == nil)
    }

    @Test func codesHaveSixDigitsAndUnfairNumbersAreDrawnAgain() {
        let draws = SharedList([Data([0xFF, 0xFF, 0xFF, 0xFF]), Data([0, 0, 0, 7])])
        #expect(RandomBytes { _ in draws.next() }.code() == "000007")
        for _ in 0..<1_000 { #expect(RandomBytes.system.code().utf8.count == 6) }
    }

    @Test func oneKeyGivesUnrelatedSecrets() throws {
        let key = try #require(ServerKey(bytes: Data(repeating: 7, count: 32)))
        let id = UUID()
        #expect(key.hash(code: "000000", id: id) != key.hash(code: "000001", id: id))
        #expect(key.hash(code: "000000", id: id) != key.hash(code: "000000", id: UUID()))
        #expect(
            key.webhookSecret(user: id, endpoint: id) == key.webhookSecret(user: id, endpoint: id))
        #expect(ServerKey(bytes: Data(repeating: 7, count: 31)) == nil)
    }
}

/// Returns the given values, one at each call, and then zeros.
private final class SharedList: @unchecked Sendable {  // only one test uses it, on one thread
    private var values: [Data]
    init(_ values: [Data]) { self.values = values }
    func next() -> Data { values.isEmpty ? Data([0, 0, 0, 0]) : values.removeFirst() }
}

import Foundation
import Testing

@testable import Cryptography

/// After a rotation, values of the former key are accepted until it is forgotten.
@Suite struct KeyRingTests {
    private let old: ServerKey
    private let new: ServerKey
    private let ada = UUID()
    private let ben = UUID()

    init() throws {
        old = try #require(ServerKey(bytes: Data(repeating: 1, count: 32)))
        new = try #require(old.followed(by: Data(repeating: 2, count: 32)))
    }

    private var alone: ServerKey { new.withoutFormerKeys }

    @Test func allCopiesGetTheNewKey() {
        let copy = old
        let fingerprint = old.fingerprint
        old.setBehind(true)
        old.adopt(new, inPlaceOf: old)
        #expect(copy.fingerprint == new.fingerprint && copy.fingerprint != fingerprint)
        #expect(copy.formerKeys == 1 && !copy.isBehind)
        old.adopt(alone, inPlaceOf: new)
        #expect(copy.formerKeys == 0)
    }

    @Test func forgottenKeyProvesNothingUntilTheNextOne() {
        let hash = old.hash(code: "123456", id: ada)
        old.setBehind(true)
        #expect(old.isHash(hash, ofCode: "123456", id: ada))
        old.setBehind(true, isForgotten: true)
        old.setBehind(true)
        #expect(!old.isHash(hash, ofCode: "123456", id: ada))
        old.adopt(new, inPlaceOf: old)
        #expect(old.isHash(hash, ofCode: "123456", id: ada))
    }

    @Test func lateAdoptionChangesNothing() throws {
        let (known, third) = (alone, try #require(new.followed(by: Data(repeating: 3, count: 32))))
        let key = alone
        key.adopt(third, inPlaceOf: key)
        key.adopt(old, inPlaceOf: known)
        #expect(key.fingerprint == third.fingerprint && key.formerKeys == 2)
        key.adopt(old, inPlaceOf: third)
        #expect(key.fingerprint == old.fingerprint && key.formerKeys == 0)
    }

    @Test func snapshotKeepsItsKeys() {
        let snapshot = old.snapshot
        let fingerprint = old.fingerprint
        old.adopt(new, inPlaceOf: old)
        #expect(snapshot.fingerprint == fingerprint && snapshot.formerKeys == 0)
        #expect(new.snapshot.formerKeys == 1)
    }

    @Test func codeOfTheFormerKeyIsAccepted() {
        let (before, after) = (old.hash(code: "123456", id: ada), new.hash(code: "123456", id: ada))
        #expect(before != after)
        #expect(new.isHash(before, ofCode: "123456", id: ada))
        #expect(new.isHash(after, ofCode: "123456", id: ada))
        #expect(!new.isHash(before, ofCode: "123457", id: ada))
        #expect(!new.isHash(before, ofCode: "123456", id: ben))
        #expect(!new.isHash(Data(), ofCode: "123456", id: ada))
        #expect(!new.isHash(before.dropLast(), ofCode: "123456", id: ada))
        #expect(!old.isHash(after, ofCode: "123456", id: ada))
        #expect(!alone.isHash(before, ofCode: "123456", id: ada))
    }

    @Test func emailCodeOfTheFormerKeyIsAccepted() {
        let before = old.hash(emailCode: "123456", id: ada)
        #expect(before != new.hash(emailCode: "123456", id: ada))
        #expect(new.isHash(before, ofEmailCode: "123456", id: ada))
        #expect(!new.isHash(before, ofCode: "123456", id: ada))
        #expect(!alone.isHash(before, ofEmailCode: "123456", id: ada))
    }

    @Test func tokensOfTheFormerKeyAreRead() throws {
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        let receipt = ReceiptToken(person: ada, delivery: ben, expiresAt: time)
        #expect(receipt.text(key: old) != receipt.text(key: new))
        #expect(ReceiptToken(receipt.text(key: old), key: new) == receipt)
        #expect(ReceiptToken(receipt.text(key: old), key: alone) == nil)

        let call = CallToken(person: ada, delivery: ben, attempt: 2, expiresAt: time)
        #expect(call.text(key: old) != call.text(key: new))
        #expect(CallToken(call.text(key: old), key: new) == call)
        #expect(CallToken(call.text(key: old), key: alone) == nil)

        let link = LinkToken(owner: ada, subject: ben)
        #expect(link.text(.alert, key: old) != link.text(.alert, key: new))
        #expect(LinkToken(link.text(.alert, key: old), .alert, key: new) == link)
        #expect(LinkToken(link.text(.alert, key: old), .drill, key: new) == nil)
        #expect(LinkToken(link.text(.alert, key: old), .alert, key: alone) == nil)

        let challenge = PasskeyChallenge(expiresAt: time, random: .system)
        let text = challenge.text(.signIn, key: old)
        #expect(text != challenge.text(.signIn, key: new))
        #expect(PasskeyChallenge(text, .signIn, key: new)?.hash == challenge.hash)
        #expect(PasskeyChallenge(text, .signIn, key: alone) == nil)
    }

    @Test func unsubscribeLinkOfTheFormerKeyWorks() throws {
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        let token = UnsubscribeToken(
            user: ada, address: "ada@example.org", verifiedAt: time, key: old)
        let read = try #require(UnsubscribeToken(token.text(key: old), key: new))
        #expect(read.isAbout("ada@example.org", verifiedAt: time, key: new))
        #expect(!read.isAbout("ben@example.org", verifiedAt: time, key: new))
        #expect(!read.isAbout("ada@example.org", verifiedAt: time, key: alone))
        #expect(UnsubscribeToken(token.text(key: old), key: alone) == nil)
    }

    @Test func webhookHasASecretForEachKey() {
        let secrets = new.webhookSecrets(user: ada, endpoint: ben)
        #expect(
            secrets == [
                new.webhookSecret(user: ada, endpoint: ben),
                old.webhookSecret(user: ada, endpoint: ben),
            ])
        #expect(Set(secrets).count == 2)
        #expect(alone.webhookSecrets(user: ada, endpoint: ben) == [secrets[0]])
    }

    @Test func storedHashesAreLookedUpByAllKeys() {
        #expect(
            new.hashes(blockedNumber: "+1")
                == [new.hash(blockedNumber: "+1"), old.hash(blockedNumber: "+1")])
        #expect(
            new.hashes(pushAddress: "a")
                == [new.hash(pushAddress: "a"), old.hash(pushAddress: "a")])
        #expect(new.hash(blockedNumber: "+1") != old.hash(blockedNumber: "+1"))
        #expect(new.hash(pushAddress: "a") != old.hash(pushAddress: "a"))
        #expect(alone.hashes(pushAddress: "a") == [new.hash(pushAddress: "a")])
    }

    @Test func requestForRecoveryCodesIsRepeatable() {
        let request = UUID()
        func bytes(_ key: ServerKey, _ user: UUID, _ request: UUID, _ index: UInt8) -> Data {
            key.recoveryCodeBytes(of: user, request: request, index: index)
        }
        let first = bytes(old, ada, request, 0)
        #expect(first == bytes(new, ada, request, 0))
        let others = [
            bytes(alone, ada, request, 0), bytes(old, ben, request, 0), bytes(old, ada, ben, 0),
            bytes(old, ada, request, 1),
        ]
        #expect(Set(others + [first]).count == 5)
        #expect(
            old.recoveryRequestID(of: ada, request: request)
                == new.recoveryRequestID(of: ada, request: request))
        #expect(old.recoveryRequestID(of: ada, request: request) != request)
    }

    @Test func recoveryCodesAreMarkedAfterARotation() throws {
        let before = old.hash(recoveryCode: "ABC", of: ada)
        let after = new.hash(recoveryCode: "ABC", of: ada)
        let mark = new.recoveryCodeMark
        #expect(after.count == 32 && after.prefix(mark.count) == mark)
        #expect(before.count == 32 && before.prefix(mark.count) != mark)
        for hash in [before, after] {
            #expect(new.hashes(recoveryCode: "ABC", of: ada).contains(hash))
            #expect(!new.hashes(recoveryCode: "ABD", of: ada).contains(hash))
            #expect(!new.hashes(recoveryCode: "ABC", of: ben).contains(hash))
        }
        #expect(alone.hashes(recoveryCode: "ABC", of: ada).contains(after))
        #expect(!alone.hashes(recoveryCode: "ABC", of: ada).contains(before))
        // Without a former key, the hash is the one of earlier versions.
        let third = try #require(alone.followed(by: Data(repeating: 3, count: 32)))
        let plain = alone.hash(recoveryCode: "ABC", of: ada)
        #expect(plain != after && third.hashes(recoveryCode: "ABC", of: ada).contains(plain))
        #expect(third.hashes(recoveryCode: "ABC", of: ada).contains(after))
    }

    @Test func rowsAndNamesStayUntilTheOldestKeyIsForgotten() throws {
        let token = Token(random: Data(0..<32))
        let third = try #require(new.followed(by: Data(repeating: 3, count: 32)))
        func values(_ key: ServerKey) -> [Data] {
            let renewed = key.renewedTokens(after: token, attempt: ben)
            let signIn = key.signInTokens(number: "+1", proof: "123456", attempt: ben)
            return [
                signIn.access.hash, signIn.refresh.hash,
                key.hash(address: "192.0.2.1"), key.hash(deviceKey: ada),
                key.refreshTokenFamily(after: token.hash), renewed.access.hash,
                renewed.refresh.hash, key.alias(of: ada, in: ben).bytes,
                key.pushTopic(person: ada, subject: "a"), key.hash(mailbox: "a@example.org"),
                key.hash(emailOf: ada), key.hash(invitedNumber: "+1"),
                key.hash(invitationsOf: ada), key.invitationID(of: ada, number: "+1").bytes,
                key.limitsID(ofNumber: "+1").bytes,
            ]
        }
        #expect(values(new) == values(old) && values(third) == values(old))
        #expect(Set(values(old)).isDisjoint(with: values(alone)))
    }

    @Test func sealedSecretOfTheFormerKeyOpens() throws {
        let secret = Data("secret".utf8)
        let before = try #require(old.seal(secret, name: "a", random: .system))
        #expect(new.open(before, name: "a") == secret && alone.open(before, name: "a") == nil)
        let renewed = try #require(new.resealed(before, name: "a", random: .system))
        #expect(alone.open(renewed, name: "a") == secret && old.open(renewed, name: "a") == nil)
        #expect(new.resealed(renewed, name: "a", random: .system) == nil)
        #expect(new.resealed(before, name: "b", random: .system) == nil)
        #expect(new.resealed(Data(), name: "a", random: .system) == nil)
    }

    @Test func webhookTokenIsSealedAnew() throws {
        let before = try #require(
            old.seal(webhookToken: "tk", user: ada, endpoint: ben, random: .system))
        #expect(new.open(webhookToken: before, user: ada, endpoint: ben) == "tk")
        let renewed = try #require(
            new.resealed(webhookToken: before, user: ada, endpoint: ben, random: .system))
        #expect(alone.open(webhookToken: renewed, user: ada, endpoint: ben) == "tk")
        #expect(
            new.resealed(webhookToken: before, user: ben, endpoint: ada, random: .system) == nil)
    }

    @Test func formerKeysAreReadWithTheCurrentKeyOnly() throws {
        let sealed = try #require(new.sealedFormerKeys(random: .system))
        let started = alone
        #expect(started.takeFormerKeys(sealed) && started.formerKeys == 1)
        #expect(
            started.hashes(pushAddress: "a") == new.hashes(pushAddress: "a"))
        #expect(!old.takeFormerKeys(sealed) && old.formerKeys == 0)
        #expect(!alone.takeFormerKeys(Data()))
    }

    @Test func keyNeeds32Bytes() {
        #expect(old.followed(by: Data(repeating: 3, count: 31)) == nil)
        #expect(old.followed(by: Data(repeating: 3, count: 32)) != nil)
        #expect(new.isFormer(Data(repeating: 1, count: 32)))
        #expect(!new.isFormer(Data(repeating: 2, count: 32)))
    }
}

import Cryptography
import Foundation
import Testing

@testable import WebPush

@Suite struct PushEncryptionTests {
    @Test func theBodyIsThatOfRFC8291() throws {
        let body = try PushEncryption.encrypt(
            Data("When I grow up, I want to be a watermelon".utf8), paddedTo: 0,
            for: Browser.subscription(), random: Sender.random)
        #expect(
            Base64URL.encode(body)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml"
                + "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT"
                + "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
    }

    @Test(arguments: [
        (0, 1_127), (1, 1_127), (1_024, 1_127), (1_025, 2_151), (2_048, 2_151), (2_049, 4_096),
        (3_993, 4_096),
    ])
    func theLengthTellsOneOfThree(payload: Int, body: Int) throws {
        let encrypted = try PushEncryption.encrypt(
            Data(repeating: 7, count: payload), for: Browser.subscription(), random: .system)
        #expect(encrypted.count == body)
    }

    @Test(arguments: [3_994, 4_096, 1_000_000])
    func aLongerPayloadIsRefused(count: Int) {
        #expect(PushEncryption.payloadLimit == 3_993)
        #expect(throws: PushRequestError.payloadTooLarge) {
            try PushEncryption.encrypt(
                Data(count: count), for: Browser.subscription(), random: .system)
        }
        #expect(throws: PushRequestError.payloadTooLarge) {
            try PushEncryption.encrypt(
                Data(), paddedTo: count, for: Browser.subscription(), random: .system)
        }
    }

    @Test func eachMessageHasItsOwnKeyAndSalt() throws {
        let subscription = try Browser.subscription()
        let bodies = try (0..<20).map { _ in
            try PushEncryption.encrypt(Data("same".utf8), for: subscription, random: .system)
        }
        #expect(Set(bodies.map { $0.prefix(16) }).count == bodies.count)
        #expect(Set(bodies.map { $0[21..<86] }).count == bodies.count)
    }

    @Test func aBrokenSourceOfRandomnessEncryptsNothing() {
        for random in [
            RandomBytes { Data(count: $0) }, RandomBytes { _ in Data() },
            RandomBytes { Data(repeating: 1, count: $0 == 32 ? 32 : 15) },
        ] {
            #expect(throws: PushRequestError.encryptionFailed) {
                try PushEncryption.encrypt(
                    Data([1]), for: Browser.subscription(), random: random)
            }
        }
    }

    @Test func slicesAreEncryptedAsWholeData() throws {
        let subscription = try Browser.subscription()
        let bytes = Data(0..<100)
        let slice = (Data([1, 2, 3]) + bytes).dropFirst(3)
        #expect(
            try PushEncryption.encrypt(slice, for: subscription, random: Sender.random)
                == PushEncryption.encrypt(bytes, for: subscription, random: Sender.random))
    }
}

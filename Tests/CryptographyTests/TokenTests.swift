import Cryptography
import Foundation
import Testing

/// Messages that were sent contain tokens, so each token must keep its bytes.
@Suite struct TokenTests {
    /// Both ids, as all tokens but the unsubscribe token begin.
    private static let ids = "ABEiM0RVZneImaq7zN3u___u3cy7qpmId2ZVRDMiEQ"

    private let key: ServerKey
    private let ada: UUID
    private let ben: UUID
    /// All readers must accept it, although it has passed.
    private let time = Date(timeIntervalSince1970: 1_700_000_000)

    init() throws {
        key = try #require(ServerKey(bytes: Data(repeating: 1, count: 32)))
        ada = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        ben = try #require(UUID(uuidString: "FFEEDDCC-BBAA-9988-7766-554433221100"))
    }

    @Test func receiptKeepsItsBytes() {
        let token = ReceiptToken(
            person: ada, delivery: ben, expiresAt: time.addingTimeInterval(-0.5))
        let text = Self.ids + "AAAAAAZVPxAMkrM8dewHARMFsFbgkbmTSi0Ke9dAt1TI2nqqWJSjYK"
        #expect(token.expiresAt == time && token.text(key: key) == text)
        #expect(ReceiptToken(text, key: key) == token && ReceiptToken.textLength == 96)
    }

    @Test func callKeepsItsBytes() {
        let token = CallToken(
            person: ada, delivery: ben, attempt: 2, expiresAt: time.addingTimeInterval(-0.5))
        let text =
            Self.ids + "AAAAAAAAAAAgAAAABlU_EAxAEfgCMCZ1OVWIuBFR6aYLBL0vV3B7R6l_ENwwfA3CA"
        #expect(token.expiresAt == time && token.text(key: key) == text)
        #expect(CallToken(text, key: key) == token && CallToken.textLength == 107)
    }

    @Test func unsubscribeTokenKeepsItsBytes() {
        let token = UnsubscribeToken(
            user: ada, address: "ada@example.org", verifiedAt: time, key: key)
        let text =
            "ABEiM0RVZneImaq7zN3u_zNl4ESWUpZBbagHZ2LbFkyOddx0Q1T697AgsIp07-AAfvXIFFlIkrg7ATOPaEw6XA"
        #expect(token.text(key: key) == text)
        #expect(UnsubscribeToken(text, key: key) == token && UnsubscribeToken.textLength == 86)
    }

    @Test(arguments: [
        (LinkToken.Purpose.invitation, "Bku39dhLuDwmaAxvYnPJ8l"),
        (.alert, "DvK1qnV6G7O_VaArzv_ldm"),
        (.mailedAlert, "DpxH31t8g8Fch4lfZz4XJS"),
        (.drill, "Afz1S0Zun4DLkZlh-HKlOu"),
        (.mailedDrill, "B1r2ry79QCuWuHkXGXWLCM"),
        (.refusal, "A8EgEqcWghGS746h3WW7Qq"),
        (.session, "AR51VfCkVFgK7mH7_AmDuD"),
    ])
    func linkKeepsItsBytes(purpose: LinkToken.Purpose, proof: String) {
        let token = LinkToken(owner: ada, subject: ben)
        let text = Self.ids + proof
        #expect(token.text(purpose, key: key) == text)
        #expect(LinkToken(text, purpose, key: key) == token && LinkToken.textLength == 64)
    }

    @Test func otherTextIsRefused() {
        let receipt = ReceiptToken(person: ada, delivery: ben, expiresAt: time).text(key: key)
        let link = LinkToken(owner: ada, subject: ben).text(.alert, key: key)
        for text in ["", link, receipt + "A", receipt + "=", String(receipt.dropLast())] {
            #expect(ReceiptToken(text, key: key) == nil)
        }
        for text in ["", receipt, link + "A", String(link.dropLast()), "B" + link.dropFirst()] {
            #expect(LinkToken(text, .alert, key: key) == nil)
        }
        #expect(LinkToken(link, .mailedAlert, key: key) == nil)
        #expect(UnsubscribeToken(link, key: key) == nil && CallToken(receipt, key: key) == nil)
    }
}

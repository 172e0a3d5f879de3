import Domain
import Testing

@Suite struct NewsRulesTests {
    @Test func theEleventhIsTooMuch() {
        #expect(!NewsRules.isTooMuch(10))
        #expect(NewsRules.isTooMuch(11))
    }

    @Test func streamsAndWhatHasLimitsOfItsOwnCarryAll() {
        let others: [DeliveryChannel] = [.webhook, .webPush, .apns, .fcm, .email]
        for channel in DeliveryChannel.allCases {
            #expect(NewsRules.carriesAll(channel) != others.contains(channel))
        }
    }
}

import Domain
import Testing

@Suite struct NewsRulesTests {
    @Test func eleventhNewsIsTooMuch() {
        #expect(!NewsRules.isTooMuch(10))
        #expect(NewsRules.isTooMuch(11))
    }

    @Test func streamsSMSAndCallsCarryAllNews() {
        let others: [DeliveryChannel] = [.webhook, .webPush, .apns, .fcm, .email]
        for channel in DeliveryChannel.allCases {
            #expect(NewsRules.carriesAll(channel) != others.contains(channel))
        }
    }

    @Test func newsOfARelationShareASubject() {
        let ofRelations: [NotificationType] = [.contactAdded, .contactRemoved, .roleChanged]
        for type in NotificationType.allCases {
            #expect(
                NewsRules.subject(of: type) == (ofRelations.contains(type) ? ofRelations : [type]))
        }
    }
}

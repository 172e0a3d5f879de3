import ComposableArchitecture
import Domain
import Foundation

@testable import LivePages
@testable import Web

enum Sample {
    /// 14 November 2023, 22:13:20 UTC.
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    /// Text that must always be escaped.
    static let hostile = "<script>alert(\"1\")</script>'&"
    static let hostileEscaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;"
    static let error = UserFacingError(
        title: "Too many attempts", message: "Please wait 20 seconds.",
        recoverySuggestion: "Try again after that.", code: "x")

    static func id<Tag>(_ number: UInt8) -> ID<Tag> {
        ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)))
    }

    static func ago(_ duration: Duration) -> Date { now.adding(.zero - duration) }

    static func alert(
        _ number: UInt8 = 1, kind: AlertKind = .manual, since start: Date = now,
        until end: Date? = nil, answeredBy name: String? = nil,
        told: [AlertRecord.LedgerEntry] = [], toldLate: Bool = false
    ) -> AlertRecord {
        AlertRecord(
            id: (id(number) as AlertID).description, startTime: start, endTime: end, userId: "me",
            isActive: end == nil, kind: kind, toldLate: toldLate,
            acknowledgement: name.map {
                .init(
                    responderId: "r", name: $0, time: start.adding(.seconds(42)), afterSeconds: 42)
            },
            othersTold: told.map(\.name), ledger: told)
    }

    static func told(
        _ name: String, _ channel: DeliveryChannel = .sms, _ state: DeliveryState = .accepted
    ) -> AlertRecord.LedgerEntry {
        .init(
            recipientId: name, name: name, channel: channel, state: state,
            time: now, attempts: 1)
    }
}

func screen<Action>(at now: Date = Sample.now, _ view: () -> HTML<Action>) -> Screen<Action> {
    withDependencies {
        $0.date.now = now
    } operation: {
        Screen(view())
    }
}

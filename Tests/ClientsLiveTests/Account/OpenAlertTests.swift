import API
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// Ben's own alert and the alert of his dependent Ada stay open for a long time. Meanwhile, Cleo
/// raises and ends many alerts.
@Suite(.timeLimit(.minutes(5))) struct OpenAlertTests {
    private static let limit = 5
    private let app: TestApp
    private let ada, ben, cleo: Person
    private let adas: AlertID = id(1)
    private let bens: AlertID = id(2)

    init() async throws {
        app = try TestApp(.memory)
        ada = try await app.person("Ada", "+15550100001")
        ben = try await app.person("Ben", "+15550100002")
        cleo = try await app.person("Cleo", "+15550100003")
        for dependent in [ada, cleo] { try await app.connect(dependent, ben) }
        try await ada.connection.call(Routes.raiseAlert, id: adas.uuid)
        try await ben.connection.call(Routes.raiseAlert, id: bens.uuid)
    }

    private func phone(over line: (any Transport)? = nil) async throws -> Phone {
        try await Phone(
            of: ben, in: TemporaryFolder(), over: line ?? app.transport, app: app,
            limits: .init(alerts: Self.limit, notifications: 100))
    }

    /// Makes Cleo raise and end alerts. Returns them as Ben receives them.
    private func cleoCallsAndIsFine(times: Int) async throws -> [AlertRecord] {
        var records: [AlertRecord] = []
        for _ in 0..<times {
            app.time.pass(.seconds(1))
            let alert = UUID()
            records.append(try await cleo.connection.call(Routes.raiseAlert, id: alert))
            records.append(try await cleo.connection.call(Routes.endAlert, id: alert))
        }
        return records
    }

    private func expectBothOpen(_ shown: AccountModel) {
        #expect(shown.alerts.filter(\.isActive).map(\.id) == ["\(bens)", "\(adas)"])
        #expect(shown.contacts.first { $0.id == ada.id }?.watch?.status == .alertActive)
        #expect(shown.profile?.status == .alertActive)
    }

    @Test(arguments: [limit - 3, limit - 2, limit - 1, limit, limit + 5])
    func openAlertsLoadBeyondTheLimit(ended: Int) async throws {
        _ = try await cleoCallsAndIsFine(times: ended)
        let phone = try await phone()
        try await phone.account.refresh()
        let shown = await phone.account.shown
        expectBothOpen(shown)
        #expect(shown.alerts.map(\.startTime) == shown.alerts.map(\.startTime).sorted(by: >))
        #expect(shown.alerts.count == min(ended, Self.limit) + 2)
        await phone.die()
    }

    @Test func openAlertsStayBeyondTheLimit() async throws {
        let phone = try await phone()
        try await phone.account.refresh()
        let news = try await cleoCallsAndIsFine(times: Self.limit + 5)
        for (index, alert) in news.enumerated() {
            await phone.account.receive(.event(.alert(alert), sequence: Int64(index)))
        }
        let shown = await phone.account.shown
        expectBothOpen(shown)
        #expect(shown.alerts.count == Self.limit + 2)
        await phone.die()
    }

    @Test func endOfOldAlertShowsUntilNewerEndsReplaceIt() async throws {
        let phone = try await phone()
        let earlier = try await cleoCallsAndIsFine(times: Self.limit)
        try await phone.account.refresh()
        app.time.pass(.seconds(1))
        let end = try await ada.connection.call(Routes.endAlert, id: adas.uuid)
        let later = try await cleoCallsAndIsFine(times: Self.limit)

        await phone.account.receive(.event(.alert(end), sequence: 1))
        var shown = await phone.account.shown
        #expect(shown.alerts.first { $0.id == end.id }?.isActive == false)
        #expect(shown.contacts.first { $0.id == ada.id }?.watch?.status == .active)
        #expect(
            !shown.alerts.contains { $0.id == earlier.first?.id },
            "the one that ended first has gone")

        for alert in later.dropLast(2) {
            await phone.account.receive(.event(.alert(alert), sequence: 2))
        }
        #expect(await phone.account.shown.alerts.contains { $0.id == end.id })
        for alert in later.suffix(2) {
            await phone.account.receive(.event(.alert(alert), sequence: 3))
        }
        shown = await phone.account.shown
        #expect(!shown.alerts.contains { $0.id == end.id })
        #expect(shown.alerts.filter(\.isActive).map(\.id) == ["\(bens)"])
        await phone.die()
    }

    /// The phone opens a new stream, which lacks the event about the alert's end.
    @Test func endOfOldAlertIsLoaded() async throws {
        _ = try await cleoCallsAndIsFine(times: Self.limit)
        let phone = try await phone()
        try await phone.account.refresh()
        var end = try await ada.connection.call(Routes.endAlert, id: adas.uuid)
        // Only the owner is told which device ended the alert.
        end.ending = nil
        try await phone.account.refresh()
        let shown = await phone.account.shown
        #expect(shown.alerts.first { $0.id == end.id } == end)
        #expect(shown.alerts.filter(\.isActive).map(\.id) == ["\(bens)"])
        await phone.die()
    }

    @Test func oldAlertGoesWithItsContact() async throws {
        _ = try await cleoCallsAndIsFine(times: Self.limit)
        let phone = try await phone()
        try await phone.account.refresh()
        try await ada.connection.call(Routes.removeContact, id: ben.id.uuid)
        try await phone.account.refresh()
        #expect(await phone.account.shown.alerts.filter(\.isActive).map(\.id) == ["\(bens)"])
        await phone.die()
    }

    @Test func openAlertsLoadInPages() async throws {
        _ = try await cleoCallsAndIsFine(times: Self.limit)
        let me = ben.id
        let pages = [Page.limits.upperBound, Page.limits.upperBound, 3]
        let line = HookedTransport(
            transport: app.transport,
            before: { request in
                guard request.path.contains("\(Endpoint.onlyOpen)=true") else { return nil }
                let number = pages.indices.last { request.path.contains("before=\($0)") } ?? 0
                let items = (0..<pages[number]).map { _ in
                    AlertRecord(
                        id: AlertID(UUID()).description, startTime: noon, endTime: nil,
                        userId: "\(me)", isActive: true, kind: .manual)
                }
                return try .json(
                    List(items: items, next: number + 1 < pages.count ? "\(number + 1)" : nil))
            })
        let phone = try await phone(over: line)
        try await phone.account.refresh()
        #expect(await phone.account.shown.alerts.count { $0.isActive } == pages.reduce(0, +))
        await phone.die()
    }
}

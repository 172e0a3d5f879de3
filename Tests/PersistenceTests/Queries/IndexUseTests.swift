import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

/// Queries whose time must not depend on other people's rows or on the length of the history.
@Suite struct IndexUseTests {
    private func explain(
        _ work: @escaping @Sendable (Explainer) throws -> Void
    ) async throws -> (scans: [String], sorts: [String], steps: [String]) {
        let engine = try SQLiteEngine()
        defer { try? engine.close() }
        return try await engine.read { connection in
            let explainer = Explainer(connection)
            try work(explainer)
            return (explainer.scans, explainer.sorts, explainer.steps)
        }
    }

    /// An index by time would cost a page of the log for each check-in.
    @Test func checkInPageReadsOnlyOnePersonsHistory() async throws {
        let plan = try await explain { _ = try $0.checkIns(of: ada, page: try Page(limit: 200)) }
        #expect(
            plan.steps.first == "SEARCH check_ins USING PRIMARY KEY (user_id=?)",
            "\(plan.steps)")
        #expect(plan.steps.count == 2 && plan.sorts.count == 1 && plan.scans.isEmpty)
    }

    /// The repair of deadlines must not read the rows of people with an interval.
    @Test func plannedSchedulesHaveTheirOwnIndex() async throws {
        let plan = try await explain { _ = try $0.plannedSchedules(after: ada, limit: 500) }
        #expect(
            plan.steps.count == 1 && plan.steps.first?.contains("schedules_plans") == true,
            "\(plan.steps)")
        #expect(plan.scans.isEmpty && plan.sorts.isEmpty)
    }

    @Test func dueJourneysAreReadInIndexOrder() async throws {
        for areAlarms in [true, false] {
            let plan = try await explain {
                _ = try $0.dueJourneys(areAlarms: areAlarms, at: noon, limit: 25)
            }
            #expect(plan.steps.first?.contains("journeys_by_due") == true, "\(plan.steps)")
            #expect(plan.scans.isEmpty && plan.sorts.isEmpty, "\(plan.steps)")
        }
    }

    /// The hourly look for silent sources must not read all sources.
    @Test func silentSourcesHaveTheirOwnIndex() async throws {
        let plan = try await explain { _ = try $0.silentSources(limit: 500) }
        #expect(
            plan.steps.count == 1 && plan.steps.first?.contains("sources_silent") == true,
            "\(plan.steps)")
        #expect(plan.scans.isEmpty && plan.sorts.isEmpty)
    }

    @Test func dueCopiesAreReadInIndexOrder() async throws {
        let plan = try await explain { connection in
            _ = try Transaction(connection).leaseCopyChanges(1, for: .minutes(2), limit: 64)
            _ = try connection.copiedAccounts(after: ada, limit: 100)
            _ = try connection.copiedPerson(ada)
        }
        #expect(
            plan.steps.first?.contains("firestore_changes_due") == true, "\(plan.steps)")
        #expect(plan.scans.isEmpty, "\(plan.steps)")
    }

    /// An administrator's page must not read the rows of other people.
    @Test func administratorsPagesAreReadInIndexOrder() async throws {
        let cursor = AdminCursor(key: Data("+1555".utf8), user: ada)
        let plan = try await explain { connection in
            _ = try connection.people(withNumber: "+1555", after: cursor, limit: 50)
            _ = try connection.people(named: Data("ad".utf8), after: nil, limit: 50)
            _ = try connection.people(named: Data("ad".utf8), after: cursor, limit: 50)
            _ = try connection.adminActs(about: ada, limit: 50)
            _ = try connection.adminActs(about: nil, limit: 50)
        }
        #expect(plan.sorts.isEmpty, "\(plan.steps)")
        #expect(plan.steps.allSatisfy { $0.contains("SEARCH") || $0.contains("INDEX") })
    }

    @Test func exportPagesNeedNoSort() async throws {
        let plan = try await explain { connection in
            let page = try Page(before: .init(time: noon, id: ada.uuid), limit: 200)
            _ = try connection.ownAlerts(of: ada, page: page)
            _ = try connection.notifications(of: ada, page: page)
        }
        #expect(plan.scans.isEmpty && plan.sorts.isEmpty, "\(plan.steps)")
    }

    /// Opening an alert and missing a deadline must not read a person's past messages.
    @Test func waitingDeliveriesAreFoundByTheirIndex() async throws {
        let plan = try await explain { connection in
            let transaction = Transaction(connection)
            try transaction.supersedeReminders(of: ada)
            _ = try transaction.supersedeEnds(for: [ada: [ben]])
        }
        #expect(plan.steps.count == 2, "\(plan.steps)")
        #expect(plan.steps.allSatisfy { $0.contains("deliveries_by_endpoint") }, "\(plan.steps)")
    }

    /// The metrics count them every few seconds, also while a storm holds many rows back.
    @Test func dueQueuedDeliveriesAreFoundByTheirIndex() async throws {
        let plan = try await explain { _ = try $0.openDeliveries(at: noon) }
        let searches = plan.steps.filter { $0.contains("deliveries_due (channel=? AND priority=?") }
        #expect(searches.count == DeliveryChannel.allCases.count, "\(plan.steps)")
    }

    @Test func streamedNotificationIsFoundByItsIndex() async throws {
        let plan = try await explain {
            try Transaction($0).markStreamed([(user: ada, notification: id(1))])
        }
        #expect(
            plan.steps.count == 1
                && plan.steps.first?.contains("deliveries_by_notification") == true,
            "\(plan.steps)")
    }

    @Test func pingPageIsReadInIndexOrder() async throws {
        let plan = try await explain { _ = try $0.pings(of: ada, page: try Page(limit: 200)) }
        #expect(
            plan.steps.count == 1 && plan.steps.first?.contains("pings_by_time") == true,
            "\(plan.steps)")
        #expect(plan.scans.isEmpty && plan.sorts.isEmpty)
    }

    @Test func deletingAccountScansNothing() async throws {
        let engine = try SQLiteEngine()
        try await engine.moveIn(ada, ben)
        try await engine.connect(ben, watchesOver: ada)
        let row = try #require(try await engine.read { try $0.user(ada) })
        let plans = PlanRecorder.Plans()
        try await engine.write(about: .none) {
            try Transaction(PlanRecorder(connection: $0, plans: plans)).deleteUser(row)
        }
        #expect(plans.all.count > 20)
        #expect(plans.careless == [])
        for sql in plans.statements { #expect(ShardingRules.violations(in: sql) == [], "\(sql)") }
        try engine.close()
    }

    /// The end of a call must not read all messages that the person ever got.
    @Test func waitingCallsAreFoundByTheirAlerts() async throws {
        let engine = try SQLiteEngine()
        let ledger = try await Ledger(engine, users: ada, cleo)
        try await engine.connect(ada, watchesOver: cleo)
        var alert = manualAlert(1, of: cleo)
        alert.nextCallAt = noon.adding(.minutes(5))
        try await engine.write(about: .none) { [alert] in try $0.insert([alert]) }
        try await ledger.add(1, .alertBegin, by: .voice, about: alert, with: "next_try_at = NULL")
        let plans = PlanRecorder.Plans()
        try await engine.write(about: .none) {
            let transaction = Transaction(PlanRecorder(connection: $0, plans: plans))
            try transaction.hurryCalls(to: [ada])
        }
        let messages = plans.all.filter { $0.contains(" deliveries ") }
        #expect(messages.count == 1)
        #expect(messages.allSatisfy { $0.contains("INDEX deliveries_by_alert") }, "\(messages)")
        #expect(plans.careless == [])
        #expect(try await engine.read { try $0.alert(id(1), of: cleo)?.nextCallAt } == noon)
        try engine.close()
    }

    /// Deleting a row searches all tables that may refer to the row. That search needs an index.
    @Test func everyForeignKeyHasAnIndex() async throws {
        let engine = try SQLiteEngine()
        let missing = try await engine.read { connection in
            let tables: [String] = try connection.values(
                "SELECT name FROM sqlite_master WHERE type = 'table'", [])
            return try tables.flatMap { table -> [String] in
                let keys = try connection.query(
                    "SELECT id, \"from\" FROM pragma_foreign_key_list($1) ORDER BY id, seq",
                    [.text(table)]
                ) { (id: try $0["id"] as Int, column: try $0["from"] as String) }
                let names: [String] = try connection.values(
                    "SELECT name FROM pragma_index_list($1)", [.text(table)])
                let indexes = try names.map { name in
                    // The name is NULL for an expression in an index.
                    try connection.values(
                        "SELECT name FROM pragma_index_info($1) WHERE name IS NOT NULL",
                        [.text(name)]) as [String]
                }
                let wanted = Dictionary(grouping: keys, by: \.id).values.map { $0.map(\.column) }
                return wanted.filter { columns in !indexes.contains { $0.starts(with: columns) } }
                    .map { "\(table)(\($0.joined(separator: ", ")))" }
            }
        }
        #expect(missing == [])
        try engine.close()
    }

    @Test func signInCodeQueriesScanNothing() async throws {
        let number = try number(of: ada)
        let plan = try await explain { connection in
            _ = try connection.codeTimes(phoneNumber: number, since: noon)
            _ = try connection.strangersCodeTimes(phoneNumber: number, since: noon)
            _ = try connection.knownDevicesCodeTimes(phoneNumber: number, since: noon)
            _ = try connection.codeTimes(addressHash: Data([1]), since: noon)
            _ = try connection.codeTimes(networkHash: Data([1]), since: noon)
            _ = try connection.codes(by: SignUpTokenID(ada.uuid), since: noon)
            _ = try connection.signUpToken(hash: Data([1]))
            _ = try connection.hasNumber(with: CallingCode(of: number))
            _ = try connection.pendingInvitations(to: number)
            _ = try connection.invitedSignUps(by: ada, since: noon)
            _ = try connection.paidCodeTimes(since: noon, limit: 1_000)
            _ = try connection.codesToNewNumbers(like: CallingCode(of: number))
            _ = try connection.newestCode(for: number, device: nil, address: Data([1]))
            _ = try connection.code(CodeRequestID(ada.uuid), for: number)
            _ = try connection.isKnown(device: Data([1]), to: number)
        }
        #expect(plan.scans.isEmpty && plan.sorts.isEmpty, "\(plan.steps)")
    }
}

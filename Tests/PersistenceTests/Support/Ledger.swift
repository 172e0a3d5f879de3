import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

/// Notifications and their deliveries, by default to Ada.
struct Ledger {
    let engine: any DatabaseEngine
    static let channels: [DeliveryChannel] = [.console, .webhook, .sms]
    static let lease: Duration = .seconds(60)

    init(_ engine: any DatabaseEngine, users: UserID...) async throws {
        self.engine = engine
        for user in users.isEmpty ? [ada] : users { try await engine.moveIn(user) }
    }

    /// Adds a notification and its delivery, both with this number.
    func enter(
        _ number: UInt8, _ type: NotificationType = .alert, by channel: DeliveryChannel = .sms,
        to user: UserID = ada, at time: Date = noon,
        device: PushEndpointID? = nil, alert: AlertRow? = nil, about person: UserID? = nil
    ) async throws {
        let item = notification(number, type, at: time, about: person, alert: alert?.id)
        let recipient = try #require(try await engine.recipient(user))
        try await engine.write(about: .none) { transaction in
            try transaction.insert(item, of: user)
            try transaction.insert(
                NewDelivery(
                    id: id(number), recipient: recipient, item: item, channel: channel,
                    pushEndpointID: device, alertOwner: alert?.userID)
            )
        }
    }

    /// Adds a delivery, then sets its columns.
    /// - Parameter columns: SQL assignments.
    func add(
        _ number: UInt8, _ purpose: DeliveryPurpose, by channel: DeliveryChannel = .sms,
        to user: UserID = ada, about alert: AlertRow? = nil, at time: Date = noon,
        with columns: String? = nil
    ) async throws {
        let type: NotificationType = alert == nil ? .system : .alert
        try await enter(number, type, by: channel, to: user, at: time, alert: alert)
        try await change(number, "purpose = '\(purpose.rawValue)'")
        if let columns { try await change(number, columns) }
    }

    /// Sets columns of one delivery.
    /// - Parameter columns: SQL assignments.
    func change(_ number: UInt8, _ columns: String) async throws {
        let delivery: DeliveryID = id(number)
        try await engine.write(about: .none) {
            _ = try $0.execute(
                "UPDATE deliveries SET \(columns) WHERE id = $1", [.id(delivery)])
        }
    }

    /// Returns the numbers of the deliveries that fulfil an SQL condition.
    func numbers(where condition: String) async throws -> [UInt8] {
        let ids: [DeliveryID] = try await engine.read {
            try $0.values("SELECT id FROM deliveries WHERE \(condition) ORDER BY id", [])
        }
        return ids.map(\.uuid.uuid.15)
    }

    /// Expects that the delivery 1 is found with these columns, and not after any of the changes.
    func expectFound(
        with columns: String, butNotWith changes: [String],
        sourceLocation: SourceLocation = #_sourceLocation, _ isFound: () async throws -> Bool
    ) async throws {
        for (place, change) in ([columns] + changes).enumerated() {
            try await self.change(1, columns)
            if place > 0 { try await self.change(1, change) }
            let found = try await isFound()
            #expect(found == (place == 0), "\(change)", sourceLocation: sourceLocation)
        }
    }

    func lease(at time: Date, limit: Int = 10, channels: [DeliveryChannel] = Ledger.channels)
        async throws -> [LeasedDelivery]
    {
        try await engine.write(at: time) {
            try $0.leaseDeliveries(channels: channels, lease: Self.lease, limit: limit)
        }
    }

    func settle(
        _ delivery: LeasedDelivery, as state: DeliveryState, nextTry: Date? = nil,
        providerID: String? = nil, at time: Date = noon
    ) async throws {
        try await engine.write(about: .none) {
            try $0.settleDelivery(
                delivery.record,
                DeliveryUpdate(state, nextTry: nextTry, providerID: providerID, at: time))
        }
    }

    func state(_ number: UInt8) async throws -> DeliveryState? {
        try await engine.read { connection in
            let delivery: DeliveryID = id(number)
            return try connection.value(
                "SELECT state FROM deliveries WHERE id = $1", [.id(delivery)]
            )
            .flatMap { DeliveryState(rawValue: $0) }
        }
    }

    func nextTry() async throws -> Date? {
        try await engine.read { try $0.nextDelivery(channels: Self.channels) }
    }
}

/// Runs a test with Ada and Ben, who watch over Cleo.
func withLedger(_ story: (any DatabaseEngine, Ledger) async throws -> Void) async throws {
    try await withDatabase { engine in
        let ledger = try await Ledger(engine, users: ada, ben, cleo)
        for responder in [ada, ben] {
            try await engine.connect(responder, watchesOver: cleo)
        }
        try await story(engine, ledger)
    }
}

extension [LeasedDelivery] {
    var numbers: [UInt8] { map(\.record.id.uuid.uuid.15) }
}

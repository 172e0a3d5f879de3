import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct ValueListTests {
    private func values(_ count: Int) -> [SQLValue] { (0..<count).map { .int($0) } }

    @Test func noValuesMakeNoList() {
        #expect(values(0).lists(from: 1).isEmpty)
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 4), (5, 8), (200, 256), (512, 512)])
    func listIsPaddedToPowerOfTwo(count: Int, length: Int) throws {
        let lists = values(count).lists(from: 3)
        let list = try #require(lists.first)
        #expect(lists.count == 1 && list.values.count == length)
        #expect(
            list.values == values(count) + Array(repeating: .int(count - 1), count: length - count))
        #expect(list.sql == (3..<3 + length).map { "$\($0)" }.joined(separator: ", "))
        #expect(list.next == 3 + length)
    }

    @Test func manyValuesMakeSeveralLists() {
        let lists = values(1_025).lists(from: 1)
        #expect(lists.map(\.values.count) == [512, 512, 1])
        #expect(lists.flatMap(\.values) == values(1_025))
    }

    /// The alert was sent to more people than fit into one list of values.
    @Test func alertIsSupersededForEveryone() async throws {
        let engine = try SQLiteEngine()
        let alert = manualAlert(1, of: ada)
        let people = (0..<600).map { number in
            UserID(
                UUID(
                    uuid: (
                        2, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0,
                        UInt8(number / 256), UInt8(number % 256)
                    )))
        }
        try await engine.moveIn(ada)
        try await engine.write(about: .none) { transaction in
            let ada = try #require(try transaction.user(ada))
            for (number, person) in people.enumerated() {
                try transaction.insertUser(
                    person, phoneNumber: PhoneNumber("+1555020\(1_000 + number)"))
                try transaction.insertAcquaintance(ada.id, person)
                let item = notification(1, alert: alert.id)
                try transaction.insert(item, of: person)
                let user = try #require(try transaction.user(person))
                try transaction.insert(
                    NewDelivery(
                        id: DeliveryID(person.uuid), recipient: Recipient(user), item: item,
                        channel: .sms, pushEndpointID: nil, alertOwner: ada.id))
            }
            try transaction.insert(alert)
            #expect(try transaction.notifiedUsers(of: alert) == Set(people))
            try transaction.supersedeDeliveries(ofAlert: alert.id, owner: ada.id, reason: "ended")
            try transaction.deleteUser(ada)
        }
        #expect(try await engine.rows(in: "deliveries") == 0)
        #expect(
            try await engine.read {
                try $0.count("SELECT COUNT(*) FROM acquaintances", [])
            } == people.count)
        try engine.close()
    }
}

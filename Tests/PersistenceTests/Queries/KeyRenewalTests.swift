import Domain
import Foundation
import Testing

@testable import Persistence

/// Rows with values of a former server key, which are renewed in pages.
@Suite struct KeyRenewalTests {
    private func bytes(_ byte: UInt8) -> Data { Data(repeating: byte, count: 32) }

    @Test func pagesHaveEveryRowOnce() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            for (user, number) in [(ada, 1), (ben, 2)] as [(UserID, UInt8)] {
                let caller = try await engine.signIn(user, number)
                for row in [number, number + 10] {
                    try await engine.save(browser(row), of: caller)
                }
            }
            var (found, last): ([RowPlace], RowPlace) = ([], .start)
            while true {
                let page = try await engine.read { [last] in
                    try $0.pushAddresses(in: .browsers, after: last, limit: 3)
                }
                found += page.map(\.place)
                guard let end = page.last else { break }
                last = end.place
            }
            #expect(found.count == 4 && Set(found.map(\.id)).count == 4)
            #expect(Set(found.map(\.user)) == [ada, ben])
        }
    }

    @Test func everyTokenAndBlockIsOnAPage() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben, cleo)
            for (user, number) in [(ada, 1), (ada, 2), (ben, 1)] as [(UserID, UInt8)] {
                let url = try #require(URL(string: "https://example.org/\(number)"))
                let hook = PushEndpoint(
                    id: id(number), kind: .webhook, url: url, createdAt: noon)
                let token = number == 2 ? nil : bytes(number)
                try await engine.write(about: .none) {
                    try $0.save(hook, of: user, session: id(9), sealedToken: token)
                }
            }
            for (blocker, blocked) in [(ada, ben), (ada, cleo), (ben, ada)] {
                let person = BlockedPerson(id: blocked, name: "", blockedAt: noon)
                let hash = bytes(1)
                try await engine.write(about: .none) {
                    try $0.insertBlock(person, phoneHash: hash, by: blocker)
                }
            }
            let tokens = try await places(in: engine) {
                try $0.sealedTokens(after: $1, limit: 1).map(\.place)
            }
            #expect(tokens.map(\.user) == [ada, ben])
            let blocks = try await places(in: engine) {
                try $0.blockHashes(after: $1, limit: 1).map(\.place)
            }
            #expect(blocks.map(\.user) == [ada, ada, ben])
            #expect(blocks.map(\.id) == [ben, cleo, ada].map(\.uuid))
        }
    }

    private func places(
        in engine: any DatabaseEngine,
        _ read: @escaping @Sendable (any SQLConnection, RowPlace) throws -> [RowPlace]
    ) async throws -> [RowPlace] {
        var (found, last): ([RowPlace], RowPlace) = ([], .start)
        while found.count < 9 {
            let page = try await engine.read { [last] in try read($0, last) }
            guard let end = page.last else { break }
            (found, last) = (found + page, end)
        }
        return found
    }

    @Test func renewedAddressLeadsToItsUser() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let caller = try await engine.signIn(ada, 1)
            try await engine.save(browser(1), of: caller)
            try await engine.save(app(2), of: caller)
            for (table, number) in [(.browsers, 1), (.apps, 2)]
                as [(PushAddressRow.Table, UInt8)]
            {
                let row = try #require(
                    try await engine.read {
                        try $0.pushAddresses(in: table, after: .start, limit: 9)
                    }.first)
                #expect(row.hash == bytes(number))
                let new = bytes(number + 100)
                try await engine.write(about: Subjects([ada])) {
                    try $0.renew(row, in: table, as: new)
                }
                #expect(try await engine.addressOwner(number) == nil)
                #expect(try await engine.addressOwner(number + 100) == ada)
                // The row has changed since it was read.
                let later = bytes(number + 50)
                try await engine.write(about: Subjects([ada])) {
                    try $0.renew(row, in: table, as: later)
                }
                #expect(try await engine.addressOwner(number + 50) == nil)
            }
            #expect(try await engine.endpoints(of: ada).count == 2)
        }
    }

    @Test func formerHashFindsTheFormerOwner() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            let (first, second) = (try await engine.signIn(ada, 1), try await engine.signIn(ben, 2))
            try await engine.save(browser(1), of: first)
            var moved = try browser(2)
            moved.formerHashes = [bytes(1)]
            #expect(try await engine.save(moved, of: second) == ada)
            #expect(try await engine.endpoints(of: ada).isEmpty)
            #expect(try await engine.addressOwner(1) == nil)
            #expect(try await engine.addressOwner(2) == ben)
        }
    }

    @Test func blockIsFoundByAnyHash() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            let blocked = BlockedPerson(id: ben, name: "Ben", blockedAt: noon)
            let (old, new, other) = (bytes(1), bytes(2), bytes(3))
            try await engine.write(about: Subjects([ada])) {
                try $0.insertBlock(blocked, phoneHash: old, by: ada)
            }
            func isBlocked(_ hashes: [Data]) async throws -> Bool {
                try await engine.read {
                    try $0.block(of: id(99), phoneHashes: hashes, by: ada) != nil
                }
            }
            #expect(try await isBlocked([new, old]))
            #expect(try await !isBlocked([new, other]))
            let rows = try await engine.read { try $0.blockHashes(after: .start, limit: 9) }
            let row = try #require(rows.first)
            #expect(row.place == RowPlace(user: ada, id: ben.uuid) && row.hash == old)
            try await engine.write(about: Subjects([ada])) { try $0.renew(row, as: new) }
            #expect(try await isBlocked([new]))
            #expect(try await !isBlocked([old]))
        }
    }

    @Test func ownersOfUnmarkedRecoveryCodesAreFound() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            let (old, new, mark) = (bytes(1), bytes(2), Data(repeating: 2, count: 4))
            try await engine.write(about: Subjects([ada, ben])) { transaction in
                try transaction.setRecoveryCodes([old], of: ada)
                try transaction.setRecoveryCodes([new], of: ben)
            }
            func owners() async throws -> [UserID] {
                try await engine.read { try $0.peopleWithRecoveryCodes(without: mark, limit: 9) }
            }
            #expect(try await owners() == [ada])
            try await engine.write(about: Subjects([ada, ben])) { transaction in
                for user in [ada, ben] {
                    try transaction.deleteRecoveryCodes(of: user, without: mark)
                }
            }
            #expect(try await owners() == [])
            #expect(try await engine.read { try $0.recoveryCodes(of: ben) } == 1)
        }
    }

    @Test func unmarkedRecoveryCodesAreDeleted() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            let (old, new, mark) = (bytes(1), bytes(2), Data(repeating: 2, count: 4))
            try await engine.write(about: Subjects([ada, ben])) { transaction in
                try transaction.setRecoveryCodes([old], of: ada)
                try transaction.setRecoveryCodes([new], of: ben)
                try transaction.deleteRecoveryCodes(without: mark)
            }
            #expect(try await engine.read { try $0.recoveryCodes(of: ada) } == 0)
            #expect(try await engine.read { try $0.recoveryCodes(of: ben) } == 1)
        }
    }
}

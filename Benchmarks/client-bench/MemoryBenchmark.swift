import Domain
import Foundation
import TestApp

/// The memory of a signed-in store with its clients, its stream and the server's end of the stream.
/// A web session holds the same objects.
enum MemoryBenchmark {
    static func run(_ table: inout Table) async throws {
        let app = try TestApp()
        var users: [TestUser] = []
        for number in 0..<40 { users.append(try await arrive(number, in: app)) }
        let (before, count) = (residentBytes(), 400)
        for number in 40..<40 + count { users.append(try await arrive(number, in: app)) }
        let each = Double(residentBytes() - before) / Double(count) / 1_000
        table.add(
            "memory of a signed-in store, with two contacts and the server's end (\(count))",
            String(format: "%.0f KB", each), goal: "≤ 200 KB",
            isReached: each <= 200)
        for user in users { await user.clients.stop() }
    }

    private static func arrive(_ number: Int, in app: TestApp) async throws -> TestUser {
        let user = try await app.welcome("Person \(number)", "+1555\(2_000_000 + number)")
        // Each person becomes a contact of the next person.
        let code = try await user.showCode().qrCodeID
        if let last = await codes.exchange(code) {
            try await user.add(last, isResponder: true, isDependent: true)
        }
        return user
    }

    private static let codes = LastCode()

    private actor LastCode {
        private var code: String?
        func exchange(_ new: String) -> String? {
            defer { code = new }
            return code
        }
    }
}

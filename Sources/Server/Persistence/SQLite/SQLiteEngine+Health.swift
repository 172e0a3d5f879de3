import Foundation
import GRDB

extension SQLiteEngine {
    public func backUp(to destination: String) throws {
        do {
            try SQLiteFile.copy(from: writer, to: destination)
        } catch {
            throw SQLiteFailure.translate(error, path: destination)
        }
    }

    public func probe() async throws {
        // The probe writes as much as a busy commit, because a small row may still fit on a nearly
        // full disk.
        let data = Data(repeating: 1, count: 64 * 1024)
        try await write(about: .none) { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO probes (id, data) VALUES (1, $1) ON CONFLICT (id) DO UPDATE
                SET data = excluded.data
                """,
                [.blob(data)])
        }
    }
}

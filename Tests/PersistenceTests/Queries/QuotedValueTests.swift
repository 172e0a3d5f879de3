import Domain
import Foundation
import Testing

/// Statements quote the raw values of enumerations. A renamed case would match no row any more.
@Suite struct QuotedValueTests {
    /// The values of the columns, by the column's name in any table.
    private static let values: [String: [String]] = [
        "channel": cases(of: DeliveryChannel.self),
        "purpose": cases(of: DeliveryPurpose.self),
        "kind": cases(of: AlertKind.self),
        "reason": cases(of: DeliveryReason.Kind.self),
        // Deliveries, pings and invitations have a state.
        "state": cases(of: DeliveryState.self) + cases(of: PingRecord.State.self)
            + cases(of: Invitation.State.self),
    ]

    private static func cases<Value: CaseIterable & RawRepresentable>(
        of type: Value.Type
    ) -> [String] where Value.RawValue == String { type.allCases.map(\.rawValue) }

    /// Returns the server's files with statements on its tables. Migrations stay as they were when
    /// a case gets another name, and the folder of PostgreSQL reads the system's tables.
    private static func sources() throws -> [URL] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Server").standardized
        let files = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return files.compactMap { $0 as? URL }.filter { file in
            file.pathExtension == "swift"
                && !["/Migrations/", "/PostgreSQL/"].contains { file.path.contains($0) }
        }
    }

    @Test func quotedValuesAreCases() throws {
        var count = 0
        for file in try Self.sources() {
            let text = try String(contentsOf: file, encoding: .utf8)
            let comparison = #/(\w+)\s+(?:=|<>|(?:NOT\s+)?IN)\s*\(?((?:\s*'[A-Za-z\-]+',?)+)/#
            for match in text.matches(of: comparison) {
                let (_, column, quoted) = match.output
                guard let cases = Self.values[String(column)] else { continue }
                for value in quoted.matches(of: #/'([^']+)'/#).map({ String($0.output.1) }) {
                    count += 1
                    #expect(cases.contains(value), "\(file.lastPathComponent): \(column) \(value)")
                }
            }
        }
        #expect(count > 150)
    }
}

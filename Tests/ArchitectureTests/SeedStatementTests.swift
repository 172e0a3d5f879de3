import Foundation
import Testing

/// Each statement of the seeds has a test or an explanation in Docs/features.md.
@Suite struct SeedStatementTests {
    /// Entries about omitted things, which no test can cover.
    private static let withoutTest: Set = [
        "`qrCodeImage: UIImage?`", "`qrCode` in the profile", "Telling the responders",
        "Firebase Firestore",
    ]

    /// Returns the document's entries about differences from the seeds: names and texts.
    private func entries() throws -> [String: String] {
        var entries: [String: String] = [:]
        var (isAboutSeeds, name) = (false, "")
        for line in try Files.text(at: "Docs/features.md").lines {
            if line.hasPrefix("## ") {
                let topics = ["seeds", "Seed ", "How the contact list"]
                isAboutSeeds =
                    topics.contains { line.contains($0) } && !line.contains("beyond")
                    && !line.contains("neither")
                name = ""
            }
            guard isAboutSeeds else { continue }
            if let entry = line.firstMatch(of: #/^\*\*(.+?)\.?\*\*/#) {
                name = String(entry.output.1)
                #expect(entries[name] == nil, "two entries are called \(name)")
            }
            if !name.isEmpty { entries[name, default: ""] += line + "\n" }
        }
        return entries
    }

    @Test func everySeedStatementIsCovered() throws {
        let tests = try TestIndex.swift()
        let entries = try entries()
        #expect(SeedStatement.all.count >= 126)
        for statement in SeedStatement.all {
            switch statement.holder {
            case .test(let test):
                #expect(
                    tests.contains(test),
                    "no test holds that \(statement.item) \(statement.says): \(test)")
            case .entry(let entry):
                #expect(entries[entry] != nil, "nothing explains \(statement.item): \(entry)")
            }
        }
    }

    @Test func everyEntryHasAStatementAndATest() throws {
        let differences = Set(
            SeedStatement.all.compactMap {
                if case .entry(let entry) = $0.holder { entry } else { nil }
            })
        for (entry, text) in try entries() {
            #expect(differences.contains(entry), "what the seeds say is missing for \(entry)")
            #expect(
                text.contains("\nTest: ") != Self.withoutTest.contains(entry),
                "\(entry) has no test, or has one against the list")
        }
    }
}

import Foundation
import Testing

/// Docs/features.md names a test for each correction: a name that no test has is a promise that
/// nobody keeps.
@Suite struct FeatureDocumentTests {
    /// What stands behind "Test:" in the document.
    private func named() throws -> [String] {
        let file = Files.root.appendingPathComponent("Docs/features.md")
        return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
            .compactMap { line in
                line.hasPrefix("Test: ") ? String(line.dropFirst(6)) : nil
            }
    }

    @Test func everyCorrectionHasATestOfThatName() throws {
        let names = try named()
        #expect(names.count > 15)
        #expect(Set(names).count == names.count)
        let tests = try Files.swift(in: "Tests/FeaturesTests").flatMap(\.lines)
        for name in names {
            let quoted = "\"\(name.replacing("\"", with: "\\\""))\""
            #expect(
                tests.contains { $0.contains(quoted) || $0.contains("func \(name)(") },
                "no test is named \(name)")
        }
    }

    @Test func everyTestThatShowsACorrectionIsInTheDocument() throws {
        let names = try named()
        for source in try Files.swift(in: "Tests/FeaturesTests") {
            for line in source.lines {
                guard
                    let name = line.firstMatch(
                        of: #/"((?:Seed:|Correction:|The seed's|The seeds') .*)"[,)]?/#)?.output.1
                else { continue }
                #expect(
                    names.contains(String(name.replacing("\\\"", with: "\""))),
                    "\(source.path) shows what the document does not tell: \(name)")
            }
        }
    }
}

import Foundation
import Testing

/// Docs/features.md names a test for each correction of a seed.
@Suite struct FeatureDocumentTests {
    /// The names after "Test:" in the document, whose lines are wrapped.
    private func named() throws -> [String] {
        var names: [String] = []
        var isName = false
        for line in try Files.text(at: "Docs/features.md").lines {
            if line.hasPrefix("Test: ") {
                names.append(String(line.dropFirst(6)))
                isName = true
            } else if line.isEmpty {
                isName = false
            } else if isName {
                names[names.count - 1] += " " + line
            }
        }
        return names
    }

    /// The lines of a test, with the name of a test that is wrapped on one line.
    private func lines(of source: Files.Source) -> [String] {
        source.lines.joined(separator: "\n")
            .replacing(#/\\\n\s*/#, with: "")
            .replacing(#/"""\n\s*(.+)\n\s*"""/#) { "\"\($0.output.1)\"" }
            .replacing("\\\"", with: "\"").components(separatedBy: "\n")
    }

    @Test func everyCorrectionHasATestOfThatName() throws {
        let names = try named()
        #expect(names.count > 15)
        #expect(Set(names).count == names.count)
        let tests = try Files.swift(in: "Tests/FeaturesTests").flatMap(lines)
        for name in names {
            #expect(
                tests.contains { $0.contains("\"\(name)\"") || $0.contains("func \(name)(") },
                "no test is named \(name)")
        }
    }

    @Test func everyTestThatShowsACorrectionIsInTheDocument() throws {
        let names = try named()
        for source in try Files.swift(in: "Tests/FeaturesTests") {
            for line in lines(of: source) {
                guard
                    let name = line.firstMatch(
                        of: #/"((?:Seed:|Correction:|The seed's|The seeds') .*)"[,)]?/#)?.output.1
                else { continue }
                #expect(
                    names.contains(String(name)),
                    "\(source.path) shows what the document does not tell: \(name)")
            }
        }
    }
}

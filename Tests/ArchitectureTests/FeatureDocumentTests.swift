import Foundation
import Testing

/// Docs/features.md names a test for each correction of a seed.
@Suite struct FeatureDocumentTests {
    /// Returns the names after "Test:", even across line breaks.
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

    /// Returns the lines of a test file. Joins the lines of a wrapped name.
    private func lines(of source: Files.Source) -> [String] {
        source.lines.joined(separator: "\n")
            .replacing(#/\\\n\s*/#, with: "")
            .replacing(#/"""\n\s*(.+)\n\s*"""/#) { "\"\($0.output.1)\"" }
            .replacing("\\\"", with: "\"").components(separatedBy: "\n")
    }

    @Test func everyCorrectionNamesAnExistingTest() throws {
        let names = try named()
        #expect(names.count > 15)
        #expect(Set(names).count == names.count)
        // Tests named by sentences are in FeaturesTests. Functions may be in any suite.
        let inWords = try Files.swift(in: "Tests/FeaturesTests").flatMap(lines)
        let functions = try TestIndex.functions()
        for name in names {
            #expect(
                inWords.contains { $0.contains("\"\(name)\"") }
                    || functions.contains(name),
                "no test is named \(name)")
        }
    }

    @Test func everyCorrectionTestIsDocumented() throws {
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

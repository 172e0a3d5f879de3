import Foundation
import Testing

/// Docs/threats.md names a test for each defence against an attack.
@Suite struct ThreatDocumentTests {
    @Test func everyDefenceNamesAnExistingTest() throws {
        let file = Files.root.appendingPathComponent("Docs/threats.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let names = text.matches(of: /`([a-z][A-Za-z0-9_]+)\(\)`/).map { String($0.output.1) }
        #expect(names.count > 20)
        let tests = try TestIndex.functions()
        for name in Set(names) {
            #expect(tests.contains(name), "no test is named \(name)")
        }
    }

    @Test func everyDefenceLineNamesATest() throws {
        let file = Files.root.appendingPathComponent("Docs/threats.md")
        let points = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n- ")
        for point in points where point.hasPrefix("Stops:") {
            #expect(point.contains("()`"), "no test in: \(point)")
        }
    }
}

import Foundation
import Testing

/// Comments name rules of Docs/product.md as `(product.md, "Pings")`. A renamed rule would leave
/// them wrong.
@Suite struct RuleReferenceTests {
    @Test func everyNamedRuleExists() throws {
        let product = try Files.text(at: "Docs/product.md").lines.joined(separator: "\n")
        var count = 0
        for folder in ["Sources", "Tests"] {
            for source in try Files.swift(in: folder) {
                let text = source.lines
                    .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " /")) }
                    .joined(separator: " ")
                for match in text.matches(of: #/\(product\.md, "([^"]+)"\)/#) {
                    count += 1
                    let rule = match.output.1
                    #expect(
                        product.contains("**\(rule).**") || product.contains("# \(rule)\n"),
                        "\(source.path): \(rule)")
                }
            }
        }
        #expect(count > 50)
    }
}

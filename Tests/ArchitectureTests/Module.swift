import Testing

/// A module and its permitted imports: a row of the table in Docs/architecture.md.
struct Module: Sendable {
    var name: String
    /// Imported modules of this package.
    var ours: Set<String>
    /// Imported products of other packages, and libraries of the system.
    var libraries: Set<String>

    var allowed: Set<String> { ours.union(libraries).union(Self.withSwift) }

    /// The rows of the table; empty if the document can't be read, which fails a test.
    static let all: [Module] = {
        let lines = (try? Files.text(at: "Docs/architecture.md"))?.lines ?? []
        return lines.drop { $0 != "## Modules" }.dropFirst().prefix { !$0.hasPrefix("## ") }
            .filter { $0.hasPrefix("| `") }.compactMap(Module.init)
    }()

    private init?(row: String) {
        let cells = row.dropFirst().dropLast().split(separator: "|").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard cells.count == 4 else { return nil }
        func names(_ cell: String) -> Set<String> {
            cell == "–" ? [] : Set(cell.split(separator: ", ").map(String.init))
        }
        name = cells[0].trimmingCharacters(in: ["`"])
        ours = names(cells[2])
        libraries = names(cells[3])
    }

    /// Modules that come with Swift.
    private static let withSwift: Set<String> = [
        "Foundation", "FoundationEssentials", "Synchronization", "Dispatch", "Glibc", "Darwin",
        "Musl", "Android", "Swift", "_StringProcessing", "Observation", "SwiftUI", "Combine",
    ]
}

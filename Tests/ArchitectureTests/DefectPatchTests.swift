import Testing

/// Docs/simulation.md describes defects that are patches. Each patch must apply to the sources.
@Suite struct DefectPatchTests {
    private static func patches() throws -> [Files.Source] {
        try Files.text(in: "Tests/Support/Simulation/Defects", ["patch"])
    }

    @Test func defectPatchesExist() throws { #expect(try Self.patches().count > 10) }

    @Test func everyPatchApplies() throws {
        for patch in try Self.patches() {
            // A patch may change several files.
            let starts = patch.lines.indices.filter { patch.lines[$0].hasPrefix("--- a/") }
            for (start, end) in zip(starts, starts.dropFirst() + [patch.lines.endIndex]) {
                let path = String(patch.lines[start].dropFirst(6))
                let source = try Files.text(at: path).lines
                for hunk in Self.hunks(of: Array(patch.lines[start..<end])) {
                    let fits = source.indices.contains { start in
                        source[start...].starts(with: hunk)
                    }
                    #expect(fits, "\(patch.path) does not apply to \(path)")
                }
            }
        }
    }

    /// Returns the lines that each hunk expects in the file.
    private static func hunks(of lines: [String]) -> [[String]] {
        lines.split { $0.hasPrefix("@@") }.dropFirst().map { hunk in
            hunk.filter { $0.hasPrefix(" ") || $0.hasPrefix("-") }.map { String($0.dropFirst()) }
        }
    }
}

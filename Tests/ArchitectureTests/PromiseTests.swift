import Foundation
import Testing

/// Docs/product.md makes promises. Tests/Support/promises.txt names what holds each of them.
@Suite struct PromiseTests {
    private struct Promise {
        var opening: String
        var holders: [(kind: String, name: String)] = []
    }

    private static let path = "Tests/Support/promises.txt"
    /// How many promises nothing holds yet. Only lower it.
    private static let mostOpen = 0

    private func promises() throws -> [Promise] {
        var promises: [Promise] = []
        for line in try Files.text(at: Self.path).lines where !line.isEmpty && line.first != "#" {
            guard line.hasPrefix(" ") else {
                promises.append(Promise(opening: line))
                continue
            }
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            try #require(parts.count == 2 && !promises.isEmpty, "\(line)")
            promises[promises.count - 1].holders.append((parts[0], parts[1]))
        }
        return promises
    }

    /// Returns the sentences of the document, without marks for bold text and line breaks.
    private func sentences() throws -> [String] {
        var paragraphs = [""]
        for line in try Files.text(at: "Docs/product.md").lines {
            if line.isEmpty || line.hasPrefix("#") {
                paragraphs.append("")
            } else if line.hasPrefix("|") {
                paragraphs.append(line)
            } else {
                paragraphs[paragraphs.count - 1] += line + " "
            }
        }
        return paragraphs.flatMap { paragraph in
            paragraph.replacing("**", with: "")
                .replacing(#/([.!?:]) (?=["“(]?[A-Z])/#) { "\($0.output.1)\n" }
                .components(separatedBy: "\n")
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test func everyPromiseHasALine() throws {
        let openings = try promises().map(\.opening)
        var count = 0
        for sentence in try sentences()
        where sentence.contains(#/\b(?i:always|never|at most|everyone|at once)\b/#) {
            count += 1
            #expect(openings.contains(where: sentence.hasPrefix), "no line for: \(sentence)")
        }
        #expect(count > 30)
    }

    @Test func everyLineIsOneSentence() throws {
        let sentences = try sentences()
        for promise in try promises() {
            let count = sentences.count { $0.hasPrefix(promise.opening) }
            #expect(count == 1, "\(count) sentences begin with: \(promise.opening)")
            #expect(!promise.holders.isEmpty, "nothing is named for: \(promise.opening)")
        }
    }

    @Test func everyHolderExists() throws {
        let invariants = try invariants()
        let tests = try TestIndex.swift().union(TestIndex.python())
        for promise in try promises() {
            for (kind, name) in promise.holders where kind != "open" {
                let isKnown = kind == "test" ? tests.contains(name) : invariants.contains(name)
                #expect(isKnown && ["test", "invariant"].contains(kind), "no \(kind) \(name)")
            }
        }
    }

    @Test func fewPromisesAreOpen() throws {
        let open = try promises().count { $0.holders.contains { $0.kind == "open" } }
        #expect(open <= Self.mostOpen)
    }

    // MARK: What there is

    private func invariants() throws -> Set<String> {
        var names: Set<String> = []
        for folder in ["Tests/Support/Simulation/Invariants", "Tests/Support/Devices/Invariants"] {
            for source in try Files.swift(in: folder) {
                let text = source.lines.joined(separator: "\n")
                for match in text.matches(of: #/Invariant\(\s*(?:name: )?"(\w+)"/#) {
                    names.insert(String(match.output.1))
                }
            }
        }
        return names
    }
}

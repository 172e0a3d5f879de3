import Foundation
import Testing

@testable import LivePages

@Suite struct ScriptTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardized

    private func scripts(in folder: String) throws -> [String: String] {
        let folder = Self.root.appending(path: folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".js") }
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
            })
    }

    private func imports(_ text: String) -> [String] {
        text.matches(of: #/(?:from|import) ?\(?"\.\/([^"]*)"/#).map { String($0.1) }
    }

    @Test func libraryScriptsImportOnlyEachOther() throws {
        let kit = try scripts(in: "Sources/Kits/LivePages/Assets")
        #expect(kit.count >= 9)
        for (name, text) in kit {
            for other in imports(text) { #expect(kit[other] != nil, "\(name) imports \(other)") }
        }
    }

    @Test func scriptsCutFilesOneByteAfterTheLimit() throws {
        let scripts = try scripts(in: "Sources/Kits/LivePages/Assets")
            .merging(try scripts(in: "Sources/Apps/Web/Assets"), uniquingKeysWith: { $1 })
        let cuts = scripts.values.flatMap { $0.matches(of: #/slice\(0, (\d{7,})\)/#).map(\.1) }
        #expect(cuts.count == 2)
        #expect(cuts.allSatisfy { $0 == "\(EventValue.bytesLimit + 1)" })
    }

    @Test func scriptCutsTextsOneScalarAfterTheLimit() throws {
        let script = try #require(try scripts(in: "Sources/Kits/LivePages/Assets")["events.js"])
        let cuts = script.matches(of: #/slice\(0, (\d{5})\)/#).map(\.1)
        #expect(cuts == ["\(EventValue.longTextScalars + 1)"])
    }

    @Test func scriptMissesTwoKeepAlivesBeforeItReconnects() throws {
        let script = try #require(try scripts(in: "Sources/Kits/LivePages/Assets")["connection.js"])
        let waits = script.matches(of: #/wait\((\d+), connectionLost\)/#).compactMap { Int($0.1) }
        #expect(waits.count == 2)
        let silence = Int(KeepAlive.pause * 2 / .milliseconds(1))
        #expect(waits.allSatisfy { $0 > silence && $0 < silence + 10_000 })
        // A page that is shown again counts as offline after the same silence.
        let ages = script.matches(of: #/now\(\) - page\.asOf > (\d+)/#).compactMap { Int($0.1) }
        #expect(ages.count == 1 && ages.first == waits.first)
    }

    /// `SourceText` processes each line on its own.
    @Test func templateLiteralsDoNotSpanLines() throws {
        let scripts = try scripts(in: "Sources/Kits/LivePages/Assets")
            .merging(try scripts(in: "Sources/Apps/Web/Assets"), uniquingKeysWith: { $1 })
        for (name, text) in scripts {
            for line in text.split(separator: "\n") {
                #expect(line.count { $0 == "`" }.isMultiple(of: 2), "\(name): \(line)")
                #expect(!line.contains("/*"), "\(name): \(line)")
            }
        }
    }

    @Test func importsFormNoCycle() throws {
        let scripts = try scripts(in: "Sources/Kits/LivePages/Assets")
            .merging(try scripts(in: "Sources/Apps/Web/Assets"), uniquingKeysWith: { $1 })
        var left = scripts.mapValues(imports)
        while let free = left.first(where: { $0.value.allSatisfy { left[$0] == nil } }) {
            left[free.key] = nil
        }
        #expect(left.isEmpty, "these import each other: \(left.keys.sorted())")
    }

    @Test func noScriptImportsFirstOne() throws {
        let kit = try scripts(in: "Sources/Kits/LivePages/Assets")
        let app = try scripts(in: "Sources/Apps/Web/Assets")
        #expect(imports(try #require(app["app.js"])).count > 5)
        for (name, text) in kit.merging(app, uniquingKeysWith: { $1 }) {
            #expect(!imports(text).contains("app.js"), "\(name)")
        }
    }
}

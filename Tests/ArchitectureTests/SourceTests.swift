import Foundation
import Testing

/// Rules for the sources' text that the manifest can't enforce.
@Suite struct SourceTests {
    private func sources() throws -> [Files.Source] { try Files.swift(in: "Sources") }

    @Test(arguments: Module.all.map(\.name))
    func moduleImportsOnlyAllowedModules(name: String) async throws {
        let module = try #require(Module.all.first { $0.name == name })
        let manifest = try await Manifest.present
        let folder = try #require(manifest.targets.first { $0.name == module.name }).folder
        for source in try Files.swift(in: folder) {
            for name in source.imports {
                #expect(module.allowed.contains(name), "\(source.path) imports \(name)")
            }
        }
    }

    @Test func everyAllowedImportIsUsed() async throws {
        let manifest = try await Manifest.present
        for module in Module.all {
            let folder = try #require(manifest.targets.first { $0.name == module.name }).folder
            let used = Set(try Files.swift(in: folder).flatMap(\.imports))
            let unused = module.ours.union(module.libraries).subtracting(used)
            #expect(unused.isEmpty, "\(module.name) doesn't import \(unused.sorted())")
        }
    }

    @Test func domainUsesNoClockAndMakesNoIDs() throws {
        let forbidden = [
            "Date()", "Date.now", "UUID()", "ContinuousClock", "SuspendingClock", "Task.sleep",
            "FileManager", "SystemRandomNumberGenerator", "random(",
        ]
        // These make ids and read the device's uptime for callers outside the module.
        let excepted = [
            "Sources/Shared/Domain/RandomUUID.swift",
            "Sources/Shared/Domain/Time/Uptime+ThisDevice.swift",
        ]
        for source in try Files.swift(in: "Sources/Shared/Domain")
            + Files.swift(in: "Sources/Shared/API")
        where !excepted.contains(source.path) {
            for (number, line) in source.code.enumerated() {
                let used = forbidden.filter(line.contains)
                #expect(used.isEmpty, "\(source.path):\(number + 1) uses \(used)")
            }
        }
    }

    /// On Linux, Foundation needs a free file descriptor to create an id. Otherwise all its ids are
    /// equal.
    @Test func idsNeverComeFromFoundation() throws {
        let forbidden = [
            "UUID()", "UUID.init", "UUID = .init()", "globallyUniqueString", "/dev/urandom",
            "/dev/random", "uuid_generate", "CFUUID",
        ]
        for source in try sources() + Files.swift(in: "Apps") {
            for (number, line) in source.lines.enumerated() {
                let code = line.trimmingCharacters(in: .whitespaces)
                // Reads `lines`, because `source.code` omits strings, and the devices' names are in
                // strings.
                guard !code.hasPrefix("//") else { continue }
                let used = forbidden.filter(code.contains)
                #expect(used.isEmpty, "\(source.path):\(number + 1) uses \(used)")
            }
        }
    }

    /// A word of the product would make the kit depend on the product, even without an import.
    @Test func livePagesNeverMentionsTheProduct() throws {
        // "alert" in quotation marks is the role of a live region.
        let words = #/lifesignal|check-?in|responder|dependent|contact|[^"]alert/#.ignoresCase()
        let folder = "Sources/Kits/LivePages"
        var texts = try Files.swift(in: folder).map { ($0.path, $0.lines.joined(separator: "\n")) }
        let assets = Files.root.appending(path: folder + "/Assets")
        for name in try FileManager.default.contentsOfDirectory(atPath: assets.path)
        where name.hasSuffix(".js") {
            texts.append(
                (name, try String(contentsOf: assets.appending(path: name), encoding: .utf8)))
        }
        #expect(texts.count > 30)
        for (path, text) in texts {
            #expect(text.firstMatch(of: words) == nil, "\(path)")
        }
    }

    @Test func aFileHasAtMost600Lines() throws {
        let files = try ["Sources", "Tests", "Benchmarks", "Apps"].flatMap(Files.swift(in:))
        #expect(files.count > 100)
        for source in files {
            #expect(source.lines.count <= 601, "\(source.path) has \(source.lines.count - 1) lines")
        }
    }

    @Test func aLineEndsAtColumn100() throws {
        let kinds: Set = ["swift", "py", "js", "css", "sh", "h", "c", "cpp", "md"]
        // Contains the long lines that macros generate.
        let excepted = "Tests/MacroExpansion/"
        let files = try ["Sources", "Tests", "Benchmarks", "Apps", "Docs"].flatMap {
            try Files.text(in: $0, kinds)
        }
        let top = try ["Package.swift", "Makefile", "README.md"].map(Files.text(at:))
        #expect(files.count > 500)
        for file in files + top where !file.path.hasPrefix(excepted) {
            for (number, line) in file.lines.enumerated() {
                // Counting bytes is faster than counting columns. Few lines have more bytes than
                // columns.
                guard line.utf8.count > 100 else { continue }
                // A Markdown table's row can't be broken.
                if file.path.hasSuffix(".md"), line.hasPrefix("|") { continue }
                #expect(line.count <= 100, "\(file.path):\(number + 1) has \(line.count) columns")
            }
        }
    }

    @Test func sourcesNeverCrashOnInput() throws {
        // Crashes only for a case path that a programmer has built with a wrong root. No input can
        // cause that.
        let excepted: Set = ["Sources/Kits/ComposableArchitecture/CasePaths/Case.swift"]
        for source in try sources() + Files.swift(in: "Apps")
        where !excepted.contains(source.path) {
            for (number, line) in source.code.enumerated() {
                let isForced =
                    line.utf8.contains(UInt8(ascii: "!")) && !line.contains("!=")
                    && line.contains(#/[\w\)\]]!(?:[\.\)\],\s\[\(]|$)/#)
                let words = [
                    "try!", "fatalError", "preconditionFailure", " as!", "unowned(unsafe)",
                ]
                .filter(line.contains)
                #expect(
                    words.isEmpty && !isForced,
                    "\(source.path):\(number + 1): \(line.trimmingCharacters(in: .whitespaces))")
            }
        }
    }

    @Test func uncheckedConcurrencyHasAReason() throws {
        var found = 0
        for source in try sources() + Files.swift(in: "Apps") {
            for (number, line) in source.code.enumerated()
            where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
                found += 1
                let attributes = source.lines[..<number].reversed().prefix {
                    $0.trimmingCharacters(in: .whitespaces).hasPrefix("@")
                }.count
                let beside = [number - attributes - 1, number, number + 1].filter(
                    source.lines.indices.contains)
                #expect(
                    beside.contains { source.lines[$0].contains("//") },
                    "\(source.path):\(number + 1)")
            }
        }
        #expect(found > 0)
    }

    /// On Linux, concurrent queues share their threads with all tasks. A blocking queue delays
    /// everything.
    @Test func nothingUsesConcurrentQueues() throws {
        for source in try sources() {
            for (number, line) in source.code.enumerated() {
                for word in ["attributes: .concurrent", "DispatchQueue.global"] {
                    #expect(!line.contains(word), "\(source.path):\(number + 1)")
                }
            }
        }
    }

    @Test func noTestSleeps() throws {
        // The helper that waits for a store's view has a time limit.
        for source in try Files.swift(in: "Tests")
        where !source.path.hasPrefix("Tests/Support/TestApp/") {
            for (number, line) in source.code.enumerated() {
                #expect(!line.contains("Task.sleep"), "\(source.path):\(number + 1)")
            }
        }
    }

    @Test func sourceReaderFindsOnlyImports() {
        let text = """
            import Foundation
            @testable import HTTPServer
            public import struct NIOCore.ByteBuffer
            // import Nothing
            let words = "import Nothing"  // fatalError
            """
        let source = Files.Source(path: "x", lines: text.components(separatedBy: "\n"))
        #expect(source.imports == ["Foundation", "HTTPServer", "NIOCore"])
        #expect(source.code.allSatisfy { !$0.contains("fatalError") && !$0.contains("Nothing") })
    }
}

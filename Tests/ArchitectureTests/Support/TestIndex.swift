import Foundation

/// The project's tests by name, read once: documents and lists name hundreds of them.
enum TestIndex {
    /// Swift tests as "Suite.function".
    static func swift() throws -> Set<String> { try swiftTests.get() }
    /// Swift tests as "function".
    static func functions() throws -> Set<String> { try functionNames.get() }
    /// Python tests as "file.py::function".
    static func python() throws -> Set<String> { try pythonTests.get() }

    private static let swiftTests = Result { try readSwift() }
    private static let functionNames = Result {
        Set(try swift().map { String($0.drop { $0 != "." }.dropFirst()) })
    }
    private static let pythonTests = Result { try readPython() }

    private static func readSwift() throws -> Set<String> {
        var names: Set<String> = []
        for source in try Files.swift(in: "Tests") {
            var suite = ""
            var isTest = false
            for line in source.lines {
                let words = line.split(separator: " ")
                if words.contains(where: { $0.hasPrefix("@Test") }) { isTest = true }
                for (word, next) in zip(words, words.dropFirst()) {
                    switch word {
                    case "struct" where line.first != " ", "extension" where line.first != " ":
                        suite = String(next.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
                    case "func" where isTest:
                        names.insert("\(suite).\(next.prefix { $0 != "(" })")
                        isTest = false
                    default: break
                    }
                }
            }
        }
        return names
    }

    private static func readPython() throws -> Set<String> {
        var names: Set<String> = []
        for source in try Files.text(in: "Tests", ["py"]) {
            let file = URL(filePath: source.path).lastPathComponent
            for line in source.lines where line.hasPrefix("def test_") {
                names.insert("\(file)::\(line.dropFirst(4).prefix { $0 != "(" })")
            }
        }
        return names
    }
}

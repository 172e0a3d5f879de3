import Foundation
import Synchronization
import Testing

enum Files {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    struct Source: Sendable {
        /// The path relative to the package's root.
        let path: String
        let lines: [String]
        /// The lines, with the contents of comments and strings replaced by blanks.
        let code: [String]

        init(path: String, lines: [String]) {
            (self.path, self.lines, code) = (path, lines, Self.code(of: lines))
        }

        var imports: [String] {
            code.compactMap { line in
                let words = line.split(separator: " ").drop {
                    $0.hasPrefix("@")
                        || ["public", "internal", "private", "package", "fileprivate"].contains($0)
                }
                guard words.first == "import", let name = words.dropFirst().first else {
                    return nil
                }
                let kinds = [
                    "struct", "class", "enum", "protocol", "func", "let", "var", "typealias",
                ]
                let module = kinds.contains(String(name)) ? words.dropFirst(2).first : name
                return module.map { String($0.prefix { $0 != "." }) }
            }
        }
    }

    static func swift(in folder: String) throws -> [Source] { try text(in: folder, ["swift"]) }

    /// Returns every file in a folder with one of these extensions, except build products.
    static func text(in folder: String, _ extensions: Set<String>) throws -> [Source] {
        let start = root.appendingPathComponent(folder)
        let found = try #require(
            FileManager.default.enumerator(
                at: start, includingPropertiesForKeys: nil, options: .skipsHiddenFiles))
        let files = found.compactMap { $0 as? URL }.filter {
            extensions.contains($0.pathExtension)
        }
        return try files.sorted { $0.path < $1.path }.map { file in
            try text(at: String(file.path.dropFirst(root.path.count + 1)))
        }
    }

    /// The files read so far. Many tests read the same files, and replacing comments and strings
    /// takes time.
    private static let known = Mutex<[String: Source]>([:])

    static func text(at path: String) throws -> Source {
        if let source = known.withLock({ $0[path] }) { return source }
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        let source = Source(path: path, lines: text.components(separatedBy: "\n"))
        known.withLock { $0[path] = source }
        return source
    }
}

extension Files.Source {
    static func code(of lines: [String]) -> [String] {
        var isInLongText = false
        return lines.map { line in
            var line = line
            if let quotes = line.range(of: "\"\"\"") {
                defer { isInLongText.toggle() }
                return isInLongText
                    ? String(line[quotes.upperBound...]) : String(line[..<quotes.lowerBound])
            }
            if isInLongText { return "" }
            if line.contains("\"") {
                line = line.replacing(#/"(?:[^"\\]|\\.)*"/#, with: "\"\"")
            }
            return line.range(of: "//").map { String(line[..<$0.lowerBound]) } ?? line
        }
    }
}

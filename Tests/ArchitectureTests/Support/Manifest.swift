import ChildProcess
import Foundation
import Testing

/// The output of `swift package dump-package`.
struct Manifest: Decodable {
    struct Target: Decodable {
        enum Kind: String, Decodable {
            case regular, executable, system, test, macro, plugin, binary
        }

        var name: String
        var type: Kind
        var path: String?
        var dependencies: [Dependency]
        private var settings: [Setting]?

        var unsafeFlags: [String] { settings?.flatMap(\.unsafeFlags) ?? [] }

        var folder: String { path ?? (type == .test ? "Tests/\(name)" : "Sources/\(name)") }
    }

    private struct Setting: Decodable {
        struct Kind: Decodable { var unsafeFlags: [String: [String]]? }
        var kind: Kind

        var unsafeFlags: [String] { kind.unsafeFlags.map { $0.values.flatMap(\.self) } ?? [] }
    }

    enum Dependency: Decodable, Equatable {
        case target(String)
        case product(String, package: String)

        private enum Keys: String, CodingKey { case byName, target, product }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            if container.contains(.product) {
                var words = try container.nestedUnkeyedContainer(forKey: .product)
                self = .product(
                    try words.decode(String.self), package: try words.decode(String.self))
            } else {
                var words = try container.nestedUnkeyedContainer(
                    forKey: container.contains(.byName) ? .byName : .target)
                self = .target(try words.decode(String.self))
            }
        }
    }

    struct Package: Decodable {
        struct Source: Decodable {
            struct Requirement: Decodable {
                struct Range: Decodable {
                    var lowerBound: String
                    var upperBound: String
                }
                var range: [Range]?
                var branch: [String]?
                var revision: [String]?
                var exact: [String]?
            }
            var identity: String
            var requirement: Requirement
        }
        var sourceControl: [Source]?
    }

    struct Product: Decodable { var name: String }

    var products: [Product]
    var targets: [Target]
    var dependencies: [Package]

    private static let reading = Task { try await read() }

    /// The manifest, read once.
    static var present: Manifest { get async throws { try await reading.value } }

    /// - Parameters:
    ///   - folder: the package's folder, relative to the root.
    ///   - environment: variables to add to the tests' own. By default, builds the macros instead
    ///     of using prebuilt ones.
    static func read(
        package folder: String = "", environment: [String: String] = ["LIFESIGNAL_MACROS": ""]
    ) async throws -> Manifest {
        // In the usual folder, the command would wait for the build that runs these tests.
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lifesignal-manifest-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let output = try await ChildProcess.run(
            "swift",
            [
                "package", "--package-path", Files.root.appending(path: folder).path,
                "--scratch-path", scratch.path, "dump-package",
            ], environment: environment)
        try #require(output.status == 0, "swift package dump-package failed")
        return try JSONDecoder().decode(Manifest.self, from: Data(output.text.utf8))
    }
}

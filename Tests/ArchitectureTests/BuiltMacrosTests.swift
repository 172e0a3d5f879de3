import Testing

/// Reads the manifest with prebuilt macros, as the Makefile's builds do.
@Suite struct BuiltMacrosTests {
    private static let library = "/a folder/libComposableArchitectureMacros.so"
    private static let flags = ["-load-plugin-library", library]
    private static let withAssertions = ["-O", "-assert-config", "Debug"]
    private static let optimised: Set = ["QRCode", "QRCodeTests", "ComposableArchitecture"]
    private static let reading = Task {
        try await Manifest.read(environment: ["LIFESIGNAL_MACROS": library])
    }
    private let with: Manifest
    private let without: Manifest

    init() async throws {
        with = try await Self.reading.value
        without = try await Manifest.present
    }

    @Test func macroTargetsLoadTheLibrary() throws {
        for target in with.targets where target.type != .system {
            let imports = try Files.swift(in: target.folder).contains {
                $0.imports.contains("ComposableArchitecture")
            }
            let expands = imports || target.name == "ComposableArchitecture"
            #expect(
                target.unsafeFlags.starts(with: Self.flags) == expands, "\(target.name)")
        }
    }

    @Test func slowTargetsAreOptimisedInDebug() throws {
        for target in with.targets where target.type != .system {
            let rest = target.unsafeFlags.filter { !Self.flags.contains($0) }
            #expect(
                rest == (Self.optimised.contains(target.name) ? Self.withAssertions : []),
                "\(target.name)")
        }
    }

    @Test func nothingNeedsSwiftSyntax() throws {
        let macros: Manifest.Dependency = .target("ComposableArchitectureMacros")
        #expect(with.targets.allSatisfy { $0.type != .macro })
        #expect(with.targets.allSatisfy { !$0.dependencies.contains(macros) })
        for target in with.targets {
            for case .product(let product, "swift-syntax") in target.dependencies {
                Issue.record("\(target.name) uses \(product)")
            }
        }
        let library = try #require(without.targets.first { $0.name == "ComposableArchitecture" })
        #expect(library.dependencies.contains(macros))
    }

    /// If they differed, each change between the two kinds of builds would resolve the packages.
    @Test func bothWaysResolveTheSamePackages() {
        let identities = { (manifest: Manifest) in
            manifest.dependencies.compactMap(\.sourceControl).flatMap(\.self).map(\.identity)
        }
        #expect(identities(with) == identities(without))
        #expect(identities(with).contains("swift-syntax"))
    }

    @Test func withoutTheLibraryNoTargetHasUnsafeFlags() {
        #expect(without.targets.allSatisfy { $0.unsafeFlags.isEmpty })
    }
}

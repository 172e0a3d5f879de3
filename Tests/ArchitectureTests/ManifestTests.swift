import Testing

/// Compares the table of modules in Docs/architecture.md with the manifest.
@Suite struct ManifestTests {
    private let manifest: Manifest
    private var modules: [Manifest.Target] {
        manifest.targets.filter {
            [.regular, .executable, .macro].contains($0.type)
                && $0.folder.hasPrefix("Tests/") == false
        }
    }

    init() async throws { manifest = try await Manifest.present }

    @Test func tableListsExactlyTheModules() {
        #expect(Set(Module.all.map(\.name)) == Set(modules.map(\.name)))
        #expect(Set(Module.all.map(\.name)).count == Module.all.count)
    }

    @Test(arguments: Module.all.map(\.name))
    func moduleDependsOnlyOnAllowedModules(name: String) throws {
        let module = try #require(Module.all.first { $0.name == name })
        let target = try #require(modules.first { $0.name == name })
        let macros = modules.filter { $0.type == .macro }.map(\.name)
        for dependency in target.dependencies {
            switch dependency {
            // A macro runs in the compiler, so no source file imports it.
            case .target(let other) where macros.contains(other): continue
            case .target(let other):
                #expect(module.allowed.contains(other), "\(name) uses \(other)")
            case .product(let product, _):
                #expect(module.libraries.contains(product), "\(name) uses \(product)")
            }
        }
    }

    @Test func sourcesNeverDependOnTestSupport() {
        let forTests = Set(manifest.targets.filter { $0.folder.hasPrefix("Tests/") }.map(\.name))
        #expect(forTests.count >= 9)
        for module in modules where module.folder.hasPrefix("Sources/") {
            for case .target(let other) in module.dependencies {
                #expect(!forTests.contains(other), "\(module.name)")
            }
        }
    }

    /// These modules are tested through other modules, and the program from outside.
    @Test func everyModuleHasItsTests() {
        let tests = Set(manifest.targets.filter { $0.type == .test }.map(\.name))
        let others = Set([
            "ComposableArchitectureMacros", "CZXing", "CPhoneNumber", "CSQLite", "CVersion",
            "Clients", "lifesignal",
        ])
        let tested = modules.filter { $0.folder.hasPrefix("Sources/") }.map(\.name)
        #expect(others.isSubset(of: tested))
        for name in tested where !others.contains(name) {
            #expect(tests.contains("\(name)Tests"), "\(name)")
        }
    }

    @Test func everyPackageIsPinnedByVersion() throws {
        let packages = manifest.dependencies.compactMap(\.sourceControl).flatMap(\.self)
        #expect(packages.count == manifest.dependencies.count && packages.count >= 7)
        for package in packages {
            #expect(
                package.requirement.branch == nil && package.requirement.revision == nil,
                "\(package.identity)")
            #expect(
                package.requirement.range?.isEmpty == false
                    || package.requirement.exact?.isEmpty == false, "\(package.identity)")
        }
    }

    /// The app's package links to folders of this package, so both must allow the same imports.
    @Test func appUsesUpstreamComposableArchitecture() async throws {
        let app = try await Manifest.read(package: "Apps/iOS")
        let upstream = try #require(
            app.dependencies.compactMap(\.sourceControl).flatMap(\.self).first {
                $0.identity == "swift-composable-architecture"
            })
        #expect(upstream.requirement.range?.first?.lowerBound == "1.25.5")
        let shared = ["Domain", "API", "Clients", "ClientsLive", "Features"]
        #expect(
            Set(app.products.map(\.name)) == Set(shared + ["LifeSignalDevice", "LifeSignalApp"]))
        for name in shared + ["TaskWork", "WebText"] {
            let target = try #require(app.targets.first { $0.name == name }, "\(name)")
            let ours = try #require(manifest.targets.first { $0.name == name }, "\(name)")
            let link = Files.root.appending(path: "Apps/iOS/\(target.folder)")
            #expect(
                link.resolvingSymlinksInPath()
                    == Files.root.appending(path: ours.folder).resolvingSymlinksInPath())
            // The app uses URLSession and Apple's image frameworks instead of these two modules.
            let expected = ours.dependencies.filter {
                $0 != .target("HTTPClient") && $0 != .target("QRCode")
            }
            .map { dependency in
                dependency == .target("ComposableArchitecture")
                    ? .product("ComposableArchitecture", package: "swift-composable-architecture")
                    : dependency
            }
            #expect(
                Set(target.dependencies.map { "\($0)" }) == Set(expected.map { "\($0)" }),
                "\(name)")
        }
    }
}

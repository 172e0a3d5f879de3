import Testing

/// The table of modules in Docs/architecture.md against the manifest.
@Suite struct ManifestTests {
    private let manifest: Manifest
    private var modules: [Manifest.Target] {
        manifest.targets.filter {
            [.regular, .executable, .macro].contains($0.type)
                && $0.folder.hasPrefix("Tests/") == false
        }
    }

    init() throws { manifest = try Manifest.present.get() }

    @Test func theTableHasEveryModuleAndNoOther() {
        #expect(Set(Module.all.map(\.name)) == Set(modules.map(\.name)))
        #expect(Set(Module.all.map(\.name)).count == Module.all.count)
    }

    @Test(arguments: Module.all.map(\.name))
    func aModuleDependsOnlyOnWhatItMay(name: String) throws {
        let module = try #require(Module.all.first { $0.name == name })
        let target = try #require(modules.first { $0.name == name })
        let macros = modules.filter { $0.type == .macro }.map(\.name)
        for dependency in target.dependencies {
            switch dependency {
            // A macro runs in the compiler: the manifest names it and nobody imports it.
            case .target(let other) where macros.contains(other): continue
            case .target(let other):
                #expect(module.allowed.contains(other), "\(name) uses \(other)")
            case .product(let product, _):
                #expect(module.libraries.contains(product), "\(name) uses \(product)")
            }
        }
    }

    @Test func nobodyUsesWhatIsForTests() {
        let forTests = Set(manifest.targets.filter { $0.folder.hasPrefix("Tests/") }.map(\.name))
        #expect(forTests.count >= 9)
        for module in modules where module.folder.hasPrefix("Sources/") {
            for case .target(let other) in module.dependencies {
                #expect(!forTests.contains(other), "\(module.name)")
            }
        }
    }

    @Test func everyModuleHasItsTests() {
        let tests = Set(manifest.targets.filter { $0.type == .test }.map(\.name))
        for name in [
            "Domain", "API", "ComposableArchitecture", "Cryptography", "Persistence",
            "SafetyNetwork", "Delivery", "QRCode", "HTTPServer", "HTTPClient",
            "ClientsLive",
            "InProcessTransport", "Features", "LivePages", "Web", "WebPush",
        ] {
            #expect(tests.contains("\(name)Tests"))
        }
    }

    @Test func everyPackageIsTakenByItsVersion() throws {
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

    @Test func theSwitchTakesUpstreamInPlaceOfTheTwoTargetsAndChangesNothingElse() throws {
        let upstream = try Manifest.read(environment: ["LIFESIGNAL_UPSTREAM_TCA": "1"])
        let ours: Set = ["ComposableArchitecture", "ComposableArchitectureMacros"]
        let package = try #require(
            upstream.dependencies.compactMap(\.sourceControl).flatMap(\.self).first {
                $0.identity == "swift-composable-architecture"
            })
        #expect(package.requirement.range?.first?.lowerBound == "1.25.0")

        for target in manifest.targets where !ours.contains(target.name) && !target.isAboutOurs {
            let other = try #require(
                upstream.targets.first { $0.name == target.name }, "\(target.name)")
            let expected = target.dependencies.map { dependency in
                dependency == .target("ComposableArchitecture")
                    ? .product("ComposableArchitecture", package: "swift-composable-architecture")
                    : dependency
            }
            #expect(other.dependencies == expected, "\(target.name)")
        }
        #expect(upstream.targets.allSatisfy { !ours.contains($0.name) && !$0.isAboutOurs })
        #expect(
            upstream.targets.contains {
                $0.dependencies.contains(
                    .product("ComposableArchitecture", package: "swift-composable-architecture"))
            })
    }
}

extension Manifest.Target {
    /// The tests and the benchmark of our own implementation have no business with upstream's.
    fileprivate var isAboutOurs: Bool {
        name == "ComposableArchitectureTests" || name == "store-bench"
    }
}

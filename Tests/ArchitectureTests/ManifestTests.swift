import Testing

/// The rooms of the house and who may enter which, held against the manifest.
@Suite struct ManifestTests {
    private let manifest: Manifest
    private var rooms: [Manifest.Target] {
        manifest.targets.filter {
            [.regular, .executable, .macro].contains($0.type)
                && $0.folder.hasPrefix("Tests/") == false
        }
    }
    private var systemLibraries: Set<String> {
        Set(manifest.targets.filter { $0.type == .system }.map(\.name)).union([
            "CZXing", "CPhoneNumber",
        ])
    }

    init() throws { manifest = try Manifest.present.get() }

    @Test func theTableHasEveryRoomAndNoOther() {
        #expect(Set(Room.all.map(\.name)) == Set(rooms.map(\.name)))
        #expect(Set(Room.all.map(\.name)).count == Room.all.count)
        for room in Room.all { #expect(!room.reason.isEmpty) }
    }

    @Test(arguments: Room.all.map(\.name)) func aRoomDependsOnlyOnWhatItMay(name: String) throws {
        let room = try #require(Room.all.first { $0.name == name })
        let target = try #require(rooms.first { $0.name == name })
        for dependency in target.dependencies {
            switch dependency {
            // A macro runs in the compiler: it is named in the manifest and imported by nobody.
            case .target(let other) where rooms.contains { $0.name == other && $0.type == .macro }:
                continue
            case .target(let other) where systemLibraries.contains(other):
                #expect(room.system.contains(other), "\(name) uses \(other)")
            case .target(let other): #expect(room.ours.contains(other), "\(name) uses \(other)")
            case .product(let product, _):
                #expect(room.others.contains(product), "\(name) uses \(product)")
            }
        }
    }

    @Test func nobodyUsesWhatIsForTests() {
        let forTests = Set(manifest.targets.filter { $0.folder.hasPrefix("Tests/") }.map(\.name))
        #expect(forTests.count >= 9)
        for room in rooms where room.folder.hasPrefix("Sources/") {
            for case .target(let other) in room.dependencies {
                #expect(!forTests.contains(other), "\(room.name)")
            }
        }
    }

    @Test func everyRoomHasItsTests() {
        let tests = Set(manifest.targets.filter { $0.type == .test }.map(\.name))
        for name in [
            "Domain", "API", "ComposableArchitecture", "Cryptography", "Persistence",
            "SafetyNetwork", "Delivery", "QRCode", "HTTPServer", "HTTPClient",
            "ClientsLive",
            "InProcessTransport", "Features", "LivePages", "Web",
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

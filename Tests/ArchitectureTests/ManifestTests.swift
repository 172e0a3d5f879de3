import Testing

/// The rooms of the house and who may enter which, held against the manifest.
@Suite struct ManifestTests {
    private let manifest: Manifest
    private var rooms: [Manifest.Target] { manifest.targets.filter { [.regular, .executable].contains($0.type) && $0.folder.hasPrefix("Tests/") == false } }
    private var systemLibraries: Set<String> { Set(manifest.targets.filter { $0.type == .system }.map(\.name)).union(["CZXing", "CPhoneNumber"]) }

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
            case .target(let other) where systemLibraries.contains(other): #expect(room.system.contains(other), "\(name) uses \(other)")
            case .target(let other): #expect(room.ours.contains(other), "\(name) uses \(other)")
            case .product(let product, _): #expect(room.others.contains(product), "\(name) uses \(product)")
            }
        }
    }

    @Test func nobodyUsesWhatIsForTests() {
        let forTests = Set(manifest.targets.filter { $0.folder.hasPrefix("Tests/") }.map(\.name))
        #expect(forTests.count >= 9)
        for room in rooms {
            for case .target(let other) in room.dependencies { #expect(!forTests.contains(other), "\(room.name)") }
        }
    }

    @Test func everyRoomHasItsTests() {
        let tests = Set(manifest.targets.filter { $0.type == .test }.map(\.name))
        for name in ["Domain", "API", "Secrets", "Persistence", "SafetyNetwork", "Delivery", "QRCode", "Server"] {
            #expect(tests.contains("\(name)Tests"))
        }
    }

    @Test func everyPackageIsTakenByItsVersion() throws {
        let packages = manifest.dependencies.compactMap(\.sourceControl).flatMap(\.self)
        #expect(packages.count == manifest.dependencies.count && packages.count >= 7)
        for package in packages {
            #expect(package.requirement.branch == nil && package.requirement.revision == nil, "\(package.identity)")
            #expect(package.requirement.range?.isEmpty == false || package.requirement.exact?.isEmpty == false, "\(package.identity)")
        }
    }
}

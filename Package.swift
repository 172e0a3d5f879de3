// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// With `LIFESIGNAL_UPSTREAM_TCA=1` the features are built on the upstream Composable Architecture instead of our own part of it.
let upstreamComposableArchitecture = Context.environment["LIFESIGNAL_UPSTREAM_TCA"] == "1"

/// What a target names to use the Composable Architecture, whichever it is.
let composableArchitecture: Target.Dependency =
    upstreamComposableArchitecture
    ? .product(name: "ComposableArchitecture", package: "swift-composable-architecture")
    : "ComposableArchitecture"

/// The rooms of the house and who may enter which. `Tests/ArchitectureTests` reads this manifest and holds the
/// rules of Docs/architecture.md against it.
let package = Package(
    name: "LifeSignal",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "lifesignal", targets: ["lifesignal"]),
        .library(name: "Domain", targets: ["Domain"]),
        .library(name: "API", targets: ["API"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // Without its default traits Hummingbird leaves out swift-configuration, which nothing here uses.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // MARK: The rules and the contract
        .target(name: "Domain", path: "Sources/Shared/Domain"),
        .target(name: "API", dependencies: ["Domain"], path: "Sources/Shared/API"),

        // MARK: The features and what they ask for
        .target(name: "Clients", dependencies: ["Domain", composableArchitecture], path: "Sources/Client/Clients"),
        .target(name: "Features", dependencies: ["Clients", "Domain", composableArchitecture], path: "Sources/Client/Features"),

        // MARK: The server's rooms
        .target(name: "Cryptography", dependencies: ["COpenSSL"], path: "Sources/Server/Cryptography"),
        .target(
            name: "Persistence",
            dependencies: [
                "Domain", .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ], path: "Sources/Server/Persistence"
        ),
        .target(
            name: "SafetyNetwork",
            dependencies: [
                "Domain", "Persistence", "Cryptography",
                .target(name: "CTime", condition: .when(platforms: [.linux])),
            ], path: "Sources/Server/SafetyNetwork"
        ),
        .target(name: "HTTPClient", dependencies: ["CCurl", "COpenSSL"], path: "Sources/Kits/HTTPClient"),
        .target(name: "Delivery", dependencies: ["Domain", "Persistence", "Cryptography", "HTTPClient"], path: "Sources/Server/Delivery"),
        .target(
            name: "HTTPServer",
            dependencies: [
                "Domain", "API", "SafetyNetwork", "Persistence", "Cryptography", "QRCode", "CPhoneNumber",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "Sources/Server/HTTPServer"
        ),
        .target(name: "QRCode", dependencies: ["Domain", "CQRencode", "CPNG", "CTurboJPEG", "CZXing"], path: "Sources/Kits/QRCode"),

        // MARK: The clients' rooms
        // An app takes URLSession, and needs no libcurl for it.
        .target(
            name: "ClientsLive",
            dependencies: [
                "Domain", "API", "Clients", composableArchitecture, .product(name: "GRDB", package: "GRDB.swift"),
                .target(name: "HTTPClient", condition: .when(platforms: [.linux])), .target(name: "QRCode", condition: .when(platforms: [.linux])),
            ], path: "Sources/Client/ClientsLive"
        ),
        .target(
            name: "InProcessTransport",
            dependencies: [
                "ClientsLive", "HTTPServer",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ], path: "Sources/Kits/InProcessTransport"
        ),

        // MARK: The web app
        .target(
            name: "Web",
            dependencies: [
                "API", "ClientsLive", "Domain", "Features", "Cryptography", "HTTPServer", "CZlib", composableArchitecture,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "Sources/Apps/Web",
            exclude: ["Assets/tokens.json"],
            // In the program itself, so that it runs from any folder.
            resources: [
                .embedInCode("Assets/alert.js"), .embedInCode("Assets/people.js"),
                .embedInCode("Assets/app.js"), .embedInCode("Assets/changes.js"), .embedInCode("Assets/events.js"), .embedInCode("Assets/hold.js"),
                .embedInCode("Assets/line.js"), .embedInCode("Assets/offline.js"), .embedInCode("Assets/page.js"), .embedInCode("Assets/scanner.js"),
                .embedInCode("Assets/time.js"), .embedInCode("Assets/drafts.js"),
                .embedInCode("Assets/sw.js"), .embedInCode("Assets/styles.css"), .embedInCode("Assets/icon.svg"),
                .embedInCode("Assets/icon-192.png"), .embedInCode("Assets/icon-512.png"),
            ]
        ),

        // MARK: The client for terminals
        .target(
            name: "CommandLine",
            dependencies: [
                "Domain", "Clients", "ClientsLive", composableArchitecture, .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Apps/CommandLine"
        ),

        // MARK: The program
        .executableTarget(
            name: "lifesignal",
            dependencies: [
                "Domain", "API", "Cryptography", "Persistence", "SafetyNetwork", "HTTPClient", "Delivery", "HTTPServer", "QRCode", "ClientsLive",
                "InProcessTransport", "Web",
                "CommandLine",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], path: "Sources/Apps/lifesignal"
        ),
        .executableTarget(
            name: "lifesignal-bench",
            dependencies: [
                "Domain", "Cryptography", "Persistence", "QRCode", "CTurboJPEG",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Benchmarks/lifesignal-bench"
        ),
        .target(
            name: "Neighbourhood",
            dependencies: [
                "Clients", "ClientsLive", "Domain", "Features", "Persistence", "InProcessTransport", "SafetyNetwork", "Cryptography", "HTTPServer",
                composableArchitecture,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Support/Neighbourhood"
        ),
        .executableTarget(
            name: "client-bench",
            dependencies: ["API", "Clients", "ClientsLive", "Domain", "Features", "Neighbourhood", composableArchitecture],
            path: "Benchmarks/client-bench"
        ),
        .executableTarget(
            name: "web-bench",
            dependencies: [
                "API", "ClientsLive", "Domain", "Neighbourhood", "SafetyNetwork", "Cryptography", "Web",
                .target(name: "CMalloc", condition: .when(platforms: [.linux])),
            ],
            path: "Benchmarks/web-bench"
        ),

        // MARK: C libraries from the system, and the two C++ ones behind a C shim
        .systemLibrary(name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
        .systemLibrary(name: "CCurl", path: "Sources/System/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CQRencode", path: "Sources/System/CQRencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
        .systemLibrary(name: "CPNG", path: "Sources/System/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(name: "CZlib", path: "Sources/System/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CTurboJPEG", path: "Sources/System/CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"]), .brew(["jpeg-turbo"])]),
        .systemLibrary(name: "CTime", path: "Sources/System/CTime"),
        .systemLibrary(name: "CMalloc", path: "Sources/System/CMalloc"),
        .target(name: "CZXing", path: "Sources/System/CZXing", linkerSettings: [.linkedLibrary("ZXing")]),
        .target(name: "CPhoneNumber", path: "Sources/System/CPhoneNumber", linkerSettings: [.linkedLibrary("phonenumber")]),

        // MARK: Tests
        .target(name: "SchemaValidation", dependencies: ["API"], path: "Tests/Support/SchemaValidation"),
        .target(
            name: "TCPListener",
            dependencies: [.product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio")],
            path: "Tests/Support/TCPListener"
        ),
        .testTarget(name: "HTTPClientTests", dependencies: ["HTTPClient", "TCPListener"], path: "Tests/HTTPClientTests"),
        .testTarget(
            name: "ClientsLiveTests",
            dependencies: [
                "ClientsLive", "InProcessTransport", "Clients", "API", "Domain", "TCPListener", "HTTPServer", "SafetyNetwork", "Persistence", "Cryptography",
                composableArchitecture, .product(name: "Hummingbird", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "InProcessTransportTests",
            dependencies: [
                "InProcessTransport", "ClientsLive", "HTTPServer", "SafetyNetwork", "Persistence", "API", "Domain", "Cryptography",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ], path: "Tests/InProcessTransportTests"
        ),
        .testTarget(name: "DomainTests", dependencies: ["Domain"]),
        .testTarget(name: "APITests", dependencies: ["API", "Domain", "SchemaValidation"]),
        .testTarget(name: "FeaturesTests", dependencies: ["Features", "Clients", "Domain", composableArchitecture]),
        .testTarget(name: "CommandLineTests", dependencies: ["CommandLine", "Clients", "Domain"], path: "Tests/CommandLineTests"),
        .testTarget(name: "CryptographyTests", dependencies: ["Cryptography"], path: "Tests/CryptographyTests"),
        .testTarget(name: "PersistenceTests", dependencies: ["Persistence", "Domain"]),
        .testTarget(name: "SafetyNetworkTests", dependencies: ["SafetyNetwork", "Persistence", "Domain", "Cryptography"]),
        .testTarget(
            name: "DeliveryTests",
            dependencies: [
                "Delivery", "HTTPClient", "TCPListener", "Persistence", "Domain", "Cryptography",
            ]
        ),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: [
                "HTTPServer", "SafetyNetwork", "Persistence", "API", "Domain", "Cryptography", "QRCode", "Delivery", "SchemaValidation",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "Tests/HTTPServerTests"
        ),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Web", "API", "Clients", "ClientsLive", "Features", "HTTPServer", "Domain", "Cryptography", "CZlib", composableArchitecture,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Neighbourhood", "Features", "Clients", "ClientsLive", "InProcessTransport", "HTTPServer", "SafetyNetwork", "Persistence", "Domain",
                composableArchitecture,
            ]
        ),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode", "Domain"], resources: [.copy("Pictures")]),
        .target(
            name: "Simulation", dependencies: ["Delivery", "Domain", "Persistence", "SafetyNetwork", "Cryptography"],
            path: "Tests/Support/Simulation", exclude: ["Defects", "find-defects.sh"]
        ),
        .target(
            name: "Devices",
            dependencies: [
                "API", "Clients", "ClientsLive", "Domain", "Features", "Persistence", "InProcessTransport", "SafetyNetwork", "Cryptography", "HTTPServer",
                "Simulation",
                composableArchitecture,
                .product(name: "Hummingbird", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
            ], path: "Tests/Support/Devices"),
        .executableTarget(
            name: "simulate",
            dependencies: ["Devices", "Simulation", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Tests/Support/Simulate"
        ),
        .testTarget(name: "SimulationTests", dependencies: ["Simulation", "simulate"]),
        .testTarget(name: "ArchitectureTests"),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

if upstreamComposableArchitecture {
    package.dependencies += [.package(url: "https://github.com/pointfreeco/swift-composable-architecture", from: "1.25.0")]
} else {
    package.dependencies += [
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3"),
        .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ]
    package.targets += [
        .target(
            name: "ComposableArchitecture",
            dependencies: [
                "ComposableArchitectureMacros",
                .product(name: "CustomDump", package: "swift-custom-dump"),
                .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ], path: "Sources/Kits/ComposableArchitecture"
        ),
        .macro(
            name: "ComposableArchitectureMacros",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ], path: "Sources/Kits/ComposableArchitectureMacros"
        ),
        .executableTarget(name: "store-bench", dependencies: ["ComposableArchitecture"], path: "Benchmarks/store-bench"),
        .testTarget(
            name: "ComposableArchitectureTests",
            dependencies: [
                "ComposableArchitecture",
                .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
            ]
        ),
    ]
}

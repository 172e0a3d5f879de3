// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// The absolute path of the prebuilt library of macros, which the Makefile sets. If nil, SwiftPM
/// builds the macros and swift-syntax.
let builtMacros = Context.environment["LIFESIGNAL_MACROS"].flatMap { $0.isEmpty ? nil : $0 }

/// What `git describe` says about the sources, which the Makefile sets for releases.
let described = Context.environment["LIFESIGNAL_BUILD"].flatMap { $0.isEmpty ? nil : $0 }

// MARK: Products of other packages

let argumentParser: Target.Dependency =
    .product(name: "ArgumentParser", package: "swift-argument-parser")
let customDump: Target.Dependency = .product(name: "CustomDump", package: "swift-custom-dump")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency =
    .product(name: "HummingbirdCore", package: "hummingbird")
let issueReporting: Target.Dependency =
    .product(name: "IssueReporting", package: "xctest-dynamic-overlay")
let issueReportingTestSupport: Target.Dependency =
    .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let orderedCollections: Target.Dependency =
    .product(name: "OrderedCollections", package: "swift-collections")
let serviceLifecycle: Target.Dependency =
    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let swiftCompilerPlugin: Target.Dependency =
    .product(name: "SwiftCompilerPlugin", package: "swift-syntax")
let swiftSyntaxMacros: Target.Dependency =
    .product(name: "SwiftSyntaxMacros", package: "swift-syntax")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let unixSignals: Target.Dependency =
    .product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")

/// `Tests/ArchitectureTests` compares this manifest with Docs/architecture.md.
let package = Package(
    name: "LifeSignal",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "lifesignal", targets: ["lifesignal"]),
        .library(name: "Domain", targets: ["Domain"]),
        .library(name: "API", targets: ["API"]),
        .library(name: "Clients", targets: ["Clients"]),
        .library(name: "ClientsLive", targets: ["ClientsLive"]),
        .library(name: "Features", targets: ["Features"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // The default traits would add swift-configuration, which is unused here.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3"),
        .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // MARK: Shared
        .target(name: "Domain", path: "Sources/Shared/Domain"),
        .target(name: "API", dependencies: ["Domain"], path: "Sources/Shared/API"),

        // MARK: Server
        .target(
            name: "Cryptography",
            dependencies: ["COpenSSL"],
            path: "Sources/Server/Cryptography"
        ),
        .target(
            name: "Persistence",
            dependencies: ["Domain", "CPostgreSQL", "CSQLite", grdb, grdbSQLite],
            path: "Sources/Server/Persistence"
        ),
        .target(
            name: "SafetyNetwork",
            dependencies: [
                "Domain", "Cryptography", "Persistence",
                .target(name: "CTime", condition: .when(platforms: [.linux])),
            ],
            path: "Sources/Server/SafetyNetwork"
        ),
        .target(
            name: "Delivery",
            dependencies: [
                "Domain", "Cryptography", "Persistence", "HTTPClient", "Mail", "WebPush",
                "WebText",
            ],
            path: "Sources/Server/Delivery"
        ),
        .target(
            name: "HTTPServer",
            dependencies: [
                "Domain", "API", "Cryptography", "Persistence", "SafetyNetwork", "QRCode",
                "TaskWork", "TLS", "Traces", "WebPush", "WebText", "CPhoneNumber", httpTypes,
                hummingbird, hummingbirdCore, logging, nioCore, nioHTTP1, nioPosix,
                serviceLifecycle, tracing,
            ],
            path: "Sources/Server/HTTPServer"
        ),

        // MARK: Client
        .target(
            name: "Clients",
            dependencies: ["Domain", "ComposableArchitecture"],
            path: "Sources/Client/Clients"
        ),
        // Apple's platforms have URLSession, so they need no libcurl.
        .target(
            name: "ClientsLive",
            dependencies: [
                "Domain", "API", "Clients", "TaskWork", "WebText",
                .target(name: "HTTPClient", condition: .when(platforms: [.linux])),
                .target(name: "QRCode", condition: .when(platforms: [.linux])),
                "ComposableArchitecture", grdb,
            ],
            path: "Sources/Client/ClientsLive"
        ),
        .target(
            name: "Features",
            dependencies: ["Domain", "Clients", "ComposableArchitecture"],
            path: "Sources/Client/Features"
        ),

        // MARK: Apps
        .target(
            name: "Web",
            dependencies: [
                "Domain", "API", "Cryptography", "HTTPServer", "ClientsLive", "Features",
                "LivePages", "ComposableArchitecture", httpTypes, hummingbird, nioCore,
                serviceLifecycle,
            ],
            path: "Sources/Apps/Web",
            exclude: ["Assets/tokens.json"],
            // Embedded, so that the program runs from any folder.
            resources: [
                .embedInCode("Assets/alert.js"), .embedInCode("Assets/app.js"),
                .embedInCode("Assets/copy.js"), .embedInCode("Assets/device.js"),
                .embedInCode("Assets/kept.js"), .embedInCode("Assets/offline.js"),
                .embedInCode("Assets/passkey.js"),
                .embedInCode("Assets/push.js"), .embedInCode("Assets/push-worker.js"),
                .embedInCode("Assets/shell.js"),
                .embedInCode("Assets/styles.css"), .embedInCode("Assets/icon.svg"),
                .embedInCode("Assets/icon-192.png"), .embedInCode("Assets/icon-512.png"),
                .embedInCode("Assets/plain-192.png"), .embedInCode("Assets/plain-512.png"),
                .embedInCode("Assets/badge-96.png"), .embedInCode("Assets/check-in-96.png"),
                .embedInCode("Assets/call-96.png"), .embedInCode("Assets/screen-narrow.png"),
                .embedInCode("Assets/screen-wide.png"),
            ]
        ),
        .target(
            name: "CommandLine",
            dependencies: [
                "Domain", "Clients", "ClientsLive", "Features", "HTTPClient",
                "ComposableArchitecture", argumentParser,
            ],
            path: "Sources/Apps/CommandLine"
        ),
        .executableTarget(
            name: "lifesignal",
            dependencies: [
                "Domain", "Cryptography", "Persistence", "SafetyNetwork", "Delivery", "HTTPServer",
                "Clients", "ClientsLive", "Web", "CommandLine", "HTTPClient", "QRCode",
                "InProcessTransport", "Mail", "Settings", "TLS", "Traces", "WebPush", "WebText",
                argumentParser,
                "ComposableArchitecture", "CVersion", hummingbird, logging, nioCore,
                serviceLifecycle, tracing, unixSignals,
            ],
            path: "Sources/Apps/lifesignal"
        ),

        // MARK: Kits
        .target(
            name: "LivePages",
            dependencies: [
                "Cryptography", "WebText", "CZlib", "ComposableArchitecture", httpTypes,
                hummingbird, nioCore, serviceLifecycle,
            ],
            path: "Sources/Kits/LivePages",
            // Embedded, so that the program runs from any folder.
            resources: [
                .embedInCode("Assets/back.js"),
                .embedInCode("Assets/changes.js"), .embedInCode("Assets/connection.js"),
                .embedInCode("Assets/drafts.js"), .embedInCode("Assets/events.js"),
                .embedInCode("Assets/page.js"),
                .embedInCode("Assets/scanner.js"), .embedInCode("Assets/sw.js"),
                .embedInCode("Assets/time.js"),
            ]
        ),
        .target(
            name: "HTTPClient",
            dependencies: ["CCurl", "COpenSSL"],
            path: "Sources/Kits/HTTPClient"
        ),
        .target(
            name: "Mail",
            dependencies: ["CCurl", "HTTPClient"],
            path: "Sources/Kits/Mail"
        ),
        .target(name: "Settings", dependencies: [yams], path: "Sources/Kits/Settings"),
        .target(name: "TaskWork", path: "Sources/Kits/TaskWork"),
        .target(name: "TLS", dependencies: ["COpenSSL", nioCore], path: "Sources/Kits/TLS"),
        .target(
            name: "QRCode",
            dependencies: ["Domain", "CPNG", "CQRencode", "CTurboJPEG", "CZBar", "CZXing"],
            path: "Sources/Kits/QRCode"
        ),
        .target(
            name: "Traces",
            dependencies: ["HTTPClient", tracing],
            path: "Sources/Kits/Traces"
        ),
        .target(
            name: "WebPush",
            dependencies: ["Cryptography", "HTTPClient", "WebText"],
            path: "Sources/Kits/WebPush"
        ),
        .target(name: "WebText", path: "Sources/Kits/WebText"),
        .target(
            name: "InProcessTransport",
            dependencies: ["HTTPServer", "ClientsLive", httpTypes, hummingbird, logging, nioCore],
            path: "Sources/Kits/InProcessTransport"
        ),

        .target(
            name: "ComposableArchitecture",
            dependencies: [customDump, issueReporting, orderedCollections]
                + (builtMacros == nil ? ["ComposableArchitectureMacros"] : []),
            path: "Sources/Kits/ComposableArchitecture"
        ),
        .macro(
            name: "ComposableArchitectureMacros",
            dependencies: [swiftCompilerPlugin, swiftSyntaxMacros],
            path: "Sources/Kits/ComposableArchitectureMacros"
        ),

        // MARK: System: C libraries, and two C++ ones behind a C shim
        .systemLibrary(
            name: "CCurl",
            path: "Sources/System/CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .systemLibrary(name: "CMalloc", path: "Sources/System/CMalloc"),
        .systemLibrary(
            name: "COpenSSL",
            path: "Sources/System/COpenSSL",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl"])]
        ),
        .systemLibrary(
            name: "CPNG",
            path: "Sources/System/CPNG",
            pkgConfig: "libpng",
            providers: [.apt(["libpng-dev"]), .brew(["libpng"])]
        ),
        .target(
            name: "CPhoneNumber",
            path: "Sources/System/CPhoneNumber",
            linkerSettings: [.linkedLibrary("phonenumber")]
        ),
        .systemLibrary(
            name: "CPostgreSQL",
            path: "Sources/System/CPostgreSQL",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        .systemLibrary(
            name: "CQRencode",
            path: "Sources/System/CQRencode",
            pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]
        ),
        .target(
            name: "CSQLite",
            path: "Sources/System/CSQLite",
            linkerSettings: [.linkedLibrary("sqlite3")]
        ),
        .systemLibrary(name: "CTime", path: "Sources/System/CTime"),
        .systemLibrary(
            name: "CTurboJPEG",
            path: "Sources/System/CTurboJPEG",
            pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"]), .brew(["jpeg-turbo"])]
        ),
        .target(
            name: "CVersion",
            path: "Sources/System/CVersion",
            cSettings: described.map { [CSetting.define("LIFESIGNAL_BUILD", to: $0)] }
        ),
        .systemLibrary(
            name: "CZBar",
            path: "Sources/System/CZBar",
            pkgConfig: "zbar",
            providers: [.apt(["libzbar-dev"]), .brew(["zbar"])]
        ),
        .target(
            name: "CZXing",
            path: "Sources/System/CZXing",
            linkerSettings: [.linkedLibrary("ZXing")]
        ),
        .systemLibrary(
            name: "CZlib",
            path: "Sources/System/CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),

        // MARK: Benchmarks
        .executableTarget(
            name: "client-bench",
            dependencies: [
                "Domain", "API", "Clients", "ClientsLive", "Features", "TestApp",
                "ComposableArchitecture",
            ],
            path: "Benchmarks/client-bench"
        ),
        .executableTarget(
            name: "lifesignal-bench",
            dependencies: [
                "Domain", "Cryptography", "Persistence", "SafetyNetwork", "QRCode", "WebPush",
                "CTurboJPEG", argumentParser, grdbSQLite, nioCore, nioPosix,
            ],
            path: "Benchmarks/lifesignal-bench"
        ),
        .executableTarget(
            name: "store-bench",
            dependencies: ["ComposableArchitecture"],
            path: "Benchmarks/store-bench"
        ),
        .executableTarget(
            name: "web-bench",
            dependencies: [
                "Domain", "API", "Cryptography", "SafetyNetwork", "ClientsLive", "Web",
                "TestApp", .target(name: "CMalloc", condition: .when(platforms: [.linux])),
            ],
            path: "Benchmarks/web-bench"
        ),

        // MARK: Support for tests and benchmarks
        .target(
            name: "Devices",
            dependencies: [
                "Domain", "API", "Cryptography", "Persistence", "SafetyNetwork", "HTTPServer",
                "Clients", "ClientsLive", "Features", "InProcessTransport", "TestApp", "Simulation",
                "SeededGenerator",
                "ComposableArchitecture", hummingbird, logging,
            ],
            path: "Tests/Support/Devices"
        ),
        .target(
            name: "TestApp",
            dependencies: [
                "Domain", "Cryptography", "Persistence", "SafetyNetwork", "HTTPServer", "Clients",
                "ClientsLive", "Features", "InProcessTransport", "TestDatabase",
                "ComposableArchitecture", hummingbird, logging,
            ],
            path: "Tests/Support/TestApp"
        ),
        .target(name: "PEMKeys", path: "Tests/Support/PEMKeys"),
        .target(
            name: "RequestsInProcess",
            dependencies: ["Cryptography", httpTypes, hummingbird, logging, nioCore, nioEmbedded],
            path: "Tests/Support/RequestsInProcess"
        ),
        .target(
            name: "SchemaValidation",
            dependencies: ["API"],
            path: "Tests/Support/SchemaValidation"
        ),
        .target(name: "SeededGenerator", path: "Tests/Support/SeededGenerator"),
        .target(
            name: "SoftPasskey",
            dependencies: ["Domain", "Cryptography"],
            path: "Tests/Support/SoftPasskey"
        ),
        .target(
            name: "TestDatabase",
            dependencies: ["Domain", "Persistence"],
            path: "Tests/Support/TestDatabase"
        ),
        .target(
            name: "Simulation",
            dependencies: [
                "Domain", "API", "Cryptography", "Persistence", "SafetyNetwork", "Delivery",
                "HTTPClient", "PEMKeys", "SeededGenerator", "SoftPasskey", "WebPush",
            ],
            path: "Tests/Support/Simulation",
            exclude: ["Defects", "coverage.py", "unreachable.txt"]
        ),
        .target(name: "ChildProcess", path: "Tests/Support/ChildProcess"),
        .target(
            name: "TCPListener",
            dependencies: [nioCore, nioPosix],
            path: "Tests/Support/TCPListener"
        ),
        .executableTarget(
            name: "push-requests",
            dependencies: ["Cryptography", "HTTPClient", "WebPush"],
            path: "Tests/Support/PushRequests"
        ),
        .executableTarget(
            name: "simulate",
            dependencies: ["Devices", "Simulation", argumentParser],
            path: "Tests/Support/Simulate"
        ),

        // MARK: Tests
        .testTarget(
            name: "DomainTests", dependencies: ["Domain", "SeededGenerator", "ChildProcess"]),
        .testTarget(name: "APITests", dependencies: ["Domain", "API", "SchemaValidation"]),
        .testTarget(
            name: "CryptographyTests", dependencies: ["Cryptography", "PEMKeys", "COpenSSL"]),
        .testTarget(
            name: "PersistenceTests",
            dependencies: ["Domain", "Persistence", "TestDatabase", grdbSQLite]),
        .testTarget(
            name: "SafetyNetworkTests",
            dependencies: [
                "Domain", "Cryptography", "Persistence", "SafetyNetwork", "SeededGenerator",
                "SoftPasskey", "TestDatabase",
            ]
        ),
        .testTarget(
            name: "DeliveryTests",
            dependencies: [
                "Domain", "Cryptography", "Persistence", "Delivery", "HTTPClient", "Mail",
                "WebPush", "PEMKeys", "TCPListener", "TestDatabase",
            ]
        ),
        .testTarget(
            name: "ServersTests",
            dependencies: [
                "Domain", "Cryptography", "Persistence", "SafetyNetwork", "Delivery",
                "SeededGenerator", "TestDatabase",
            ]
        ),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: [
                "Domain", "API", "Cryptography", "Persistence", "SafetyNetwork", "Delivery",
                "HTTPServer", "QRCode", "RequestsInProcess", "SchemaValidation", "SeededGenerator",
                "TaskWork", "TestDatabase", "Traces", httpTypes,
                hummingbird, hummingbirdCore, logging,
                nioCore, nioEmbedded, nioPosix, serviceLifecycle, tracing,
            ]
        ),
        .testTarget(
            name: "ClientsLiveTests",
            dependencies: [
                "Domain", "API", "Cryptography", "Persistence", "SafetyNetwork", "HTTPServer",
                "Clients", "ClientsLive", "InProcessTransport", "TestApp", "TCPListener",
                "SeededGenerator",
                "ComposableArchitecture", grdb, hummingbird, logging,
            ]
        ),
        .testTarget(
            name: "FeaturesTests",
            dependencies: ["Domain", "Clients", "Features", "ComposableArchitecture"]
        ),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Domain", "API", "Cryptography", "HTTPServer", "Clients", "ClientsLive", "Features",
                "LivePages", "Web", "RequestsInProcess", "ComposableArchitecture", httpTypes,
                hummingbird, logging, nioCore, nioEmbedded,
            ]
        ),
        .testTarget(name: "CommandLineTests", dependencies: ["Domain", "Clients", "CommandLine"]),
        .testTarget(
            name: "LivePagesTests",
            dependencies: [
                "Cryptography", "LivePages", "SeededGenerator", "RequestsInProcess",
                "ComposableArchitecture", "CZlib",
                httpTypes, hummingbird, logging, nioCore, nioEmbedded,
            ]
        ),
        .testTarget(
            name: "HTTPClientTests", dependencies: ["HTTPClient", "CCurl", "TCPListener"]),
        .testTarget(name: "MailTests", dependencies: ["Mail", "TCPListener"]),
        .testTarget(name: "SettingsTests", dependencies: ["Settings"]),
        .testTarget(name: "TaskWorkTests", dependencies: ["TaskWork"]),
        .testTarget(
            name: "TLSTests",
            dependencies: ["TLS", "COpenSSL", "PEMKeys", nioCore, nioEmbedded]
        ),
        .testTarget(
            name: "TracesTests", dependencies: ["HTTPClient", "Traces", "TCPListener", tracing]),
        .testTarget(
            name: "QRCodeTests",
            dependencies: ["Domain", "QRCode", "SeededGenerator"],
            resources: [.copy("Pictures")]
        ),
        .testTarget(
            name: "WebPushTests",
            dependencies: [
                "Cryptography", "HTTPClient", "WebPush", "SeededGenerator", "TCPListener",
            ]
        ),
        .testTarget(name: "WebTextTests", dependencies: ["WebText"]),
        .testTarget(
            name: "InProcessTransportTests",
            dependencies: [
                "Domain", "API", "Cryptography", "Persistence", "SafetyNetwork", "HTTPServer",
                "ClientsLive", "InProcessTransport", "TestApp", hummingbird, logging,
            ]
        ),
        .testTarget(
            name: "ComposableArchitectureTests",
            dependencies: ["ComposableArchitecture", issueReportingTestSupport]
        ),
        .testTarget(name: "ArchitectureTests", dependencies: ["ChildProcess"]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Domain", "Persistence", "SafetyNetwork", "HTTPServer", "Clients", "ClientsLive",
                "Features", "InProcessTransport", "TestApp", "SeededGenerator",
                "ComposableArchitecture",
            ]
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Simulation", "SeededGenerator", "ChildProcess", "simulate"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// The manifest keeps swift-syntax, so that packages resolve alike with and without prebuilt macros.
if let builtMacros {
    package.targets.removeAll { $0.type == .macro }
    let usesMacros: (Target) -> Bool = { target in
        target.name == "ComposableArchitecture"
            || target.dependencies.contains {
                if case .byNameItem("ComposableArchitecture", _) = $0 { true } else { false }
            }
    }
    for target in package.targets where usesMacros(target) {
        target.swiftSettings = [.unsafeFlags(["-load-plugin-library", builtMacros])]
    }
    // Loops over pixels, and the code that every action runs through. Without optimisation, they
    // take a good part of the tests' time.
    let optimised = ["QRCode", "QRCodeTests", "ComposableArchitecture"]
    for target in package.targets where optimised.contains(target.name) {
        target.swiftSettings =
            (target.swiftSettings ?? [])
            + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
    }
}

// Applies only on Linux, where `make test` compiles every target. The searches for defects and
// mutants allow warnings, because a defect may leave a value unused.
if Context.environment["LIFESIGNAL_ALLOWS_WARNINGS"] == nil {
    for target in package.targets where target.type != .system && target.type != .macro {
        target.swiftSettings =
            (target.swiftSettings ?? [])
            + [
                .treatAllWarnings(
                    as: .error, .when(platforms: [.linux], configuration: .debug))
            ]
    }
}

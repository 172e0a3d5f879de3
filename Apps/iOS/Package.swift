// swift-tools-version: 6.2
import PackageDescription

/// The modules of the iPhone app, which uses the upstream Composable Architecture. `Domain`, `API`,
/// `TaskWork`, `WebText`, `Clients`, `ClientsLive` and `Features` are links to the main package's
/// sources. The main package builds the same files with its own implementation of the architecture.
let composableArchitecture: Target.Dependency =
    .product(name: "ComposableArchitecture", package: "swift-composable-architecture")

let package = Package(
    name: "LifeSignalApp",
    platforms: [.iOS(.v18)],
    products: [
        .library(name: "Domain", targets: ["Domain"]),
        .library(name: "API", targets: ["API"]),
        .library(name: "Clients", targets: ["Clients"]),
        .library(name: "ClientsLive", targets: ["ClientsLive"]),
        .library(name: "Features", targets: ["Features"]),
        .library(name: "LifeSignalDevice", targets: ["LifeSignalDevice"]),
        .library(name: "LifeSignalApp", targets: ["LifeSignalApp"]),
    ],
    dependencies: [
        .package(
            url: "https://github.com/pointfreeco/swift-composable-architecture", from: "1.25.5"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(name: "Domain"),
        .target(name: "API", dependencies: ["Domain"]),
        .target(name: "TaskWork"),
        .target(name: "WebText"),
        .target(name: "Clients", dependencies: ["Domain", composableArchitecture]),
        .target(
            name: "ClientsLive",
            dependencies: [
                "Domain", "API", "Clients", "TaskWork", "WebText", composableArchitecture,
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .target(name: "Features", dependencies: ["Domain", "Clients", composableArchitecture]),
        // Shared by the app, its widget, its intents and its notification service extension.
        .target(name: "LifeSignalDevice", dependencies: ["Domain"]),
        .target(
            name: "LifeSignalApp",
            dependencies: [
                "Domain", "API", "Clients", "ClientsLive", "Features", "LifeSignalDevice",
                composableArchitecture,
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

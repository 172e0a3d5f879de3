// swift-tools-version: 6.2
import PackageDescription

/// The tests of the macros' expansions. They are a separate package: if a test target depended on a
/// macro, the build system would build most of the graph a second time.
/// `Sources/Kits/ComposableArchitectureMacros` is a link to the macros. They are built here as an
/// ordinary library, without their entry point.
let package = Package(
    name: "MacroExpansion",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")],
    targets: [
        .target(
            name: "ComposableArchitectureMacros",
            dependencies: [.product(name: "SwiftSyntaxMacros", package: "swift-syntax")],
            exclude: ["Plugin.swift"]
        ),
        .testTarget(
            name: "MacroExpansionTests",
            dependencies: [
                "ComposableArchitectureMacros",
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

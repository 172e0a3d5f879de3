// swift-tools-version: 6.2
import PackageDescription

/// Tests of the macros' expansions. A separate package: a test target that depends on a macro makes
/// the build system build most of the graph twice.
///
/// `Sources/Kits/ComposableArchitectureMacros` is a link to the macros. Here they are an ordinary
/// library without an entry point.
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

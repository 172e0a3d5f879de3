import Testing

/// Runs the Xcode project's tests, as `swift test` runs a package's tests.
@main
struct Run {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}

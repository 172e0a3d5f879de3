import Foundation
import Testing

/// A device hides news of its own session, unless the change outlives the session. Each text that
/// the server announces as such news is in a list of NotificationItemTests.
@Suite struct DeviceNewsTests {
    @Test func everyAnnouncedTextIsInAList() throws {
        let tests = try Files.text(
            at: "Tests/DomainTests/Notifications/NotificationItemTests.swift")
        let listed = Set(
            tests.lines.flatMap { line in
                line.matches(of: #/\.(\w+)/#).map { String($0.output.1) }
            })
        var count = 0
        for source in try Files.swift(in: "Sources/Server/SafetyNetwork") {
            let text = source.lines.joined(separator: " ")
            for match in text.matches(of: #/announce(?:Endpoint)?\(\s*\.(\w+)/#) {
                count += 1
                let name = String(match.output.1)
                #expect(listed.contains(name), "\(source.path): \(name)")
            }
        }
        #expect(count > 20)
    }
}

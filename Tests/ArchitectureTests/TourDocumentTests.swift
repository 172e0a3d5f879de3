import Foundation
import Testing

/// The files and folders in Docs/tour.md must exist.
@Suite struct TourDocumentTests {
    @Test func everyNamedPathExists() throws {
        let text = try Files.text(at: "Docs/tour.md").lines.joined(separator: "\n")
        let places = text.matches(of: #/`([A-Za-z+]+/[A-Za-z+/.]+)`/#).map { String($0.output.1) }
        #expect(places.count > 25)
        for place in places {
            let found = ["Sources/\(place)", place].contains {
                FileManager.default.fileExists(atPath: Files.root.appendingPathComponent($0).path)
            }
            #expect(found, "\(place)")
        }
    }
}

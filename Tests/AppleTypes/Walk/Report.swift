import Foundation
import SwiftUI

/// The screens of the walk. A test compares them with the web app's pages.
@MainActor
final class Report {
    private struct Look: Encodable {
        var name: String
        var words: [String]
        var controls: [Named]
        var page: String
    }
    private struct Named: Encodable {
        var name: String
        var value: String
        var kind: String
        var isEnabled: Bool
    }
    private struct Whole: Encodable {
        var screens: [Look]
        var differences: [String]
        var compared: Int
    }

    private var screens: [Look] = []
    var differences: [String] = []
    /// The number of actions that exist in both apps and were compared.
    var compared = 0

    func add(_ name: String, _ sketch: Sketch, page: String) {
        screens.append(
            Look(
                name: name, words: sketch.words,
                controls: sketch.controls.map {
                    Named(
                        name: $0.name, value: $0.value, kind: "\($0.kind)",
                        isEnabled: $0.isEnabled)
                },
                page: page))
    }

    func json() throws -> Data {
        try JSONEncoder().encode(
            Whole(screens: screens, differences: differences, compared: compared))
    }
}

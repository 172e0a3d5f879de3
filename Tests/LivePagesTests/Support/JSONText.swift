import Foundation

enum JSONText {
    static func string(_ text: String) throws -> String {
        try JSONDecoder().decode(String.self, from: Data(text.utf8))
    }
}

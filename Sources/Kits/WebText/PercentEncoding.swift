import Foundation

/// Encodes text for URLs and forms.
public enum PercentEncoding {
    /// Encodes all characters except the unreserved ones (RFC 3986, section 2.3).
    public static func unreserved(_ text: String) -> String {
        let allowed = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    /// Returns a body of the type `application/x-www-form-urlencoded`.
    public static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\(unreserved($0))=\(unreserved($1))" }.joined(separator: "&")
    }
}

@_exported import Foundation

@available(iOS 14.0, *)
public struct UTType: Hashable, Sendable {
    public let identifier: String

    public static let utf8PlainText = UTType(identifier: "public.utf8-plain-text")
    public static let json = UTType(identifier: "public.json")
    public static let commaSeparatedText = UTType(
        identifier: "public.comma-separated-values-text")
    public static let png = UTType(identifier: "public.png")
    public static let jpeg = UTType(identifier: "public.jpeg")
}

@_exported import Foundation

// CoreFoundation types that are bridged to Swift types.
public typealias CFString = String
public typealias CFData = Data
public typealias CFMutableData = NSMutableData
public typealias CFDictionary = [String: Any]

public final class CGImage: @unchecked Sendable {}
public final class CGColorSpace: @unchecked Sendable {
    public init?(name: CFString) { fatalError() }
    public static let linearGray: CFString = ""
    public static let sRGB: CFString = ""
}
public struct CGAffineTransform: Sendable {
    public init(scaleX sx: CGFloat, y sy: CGFloat) {}
}

import Foundation

/// A QR code as a picture and as its modules: a value that every front end can draw.
public struct QRCodeImage: Equatable, Sendable {
    /// The picture, with the quiet zone, as a PNG of black and white.
    public let png: Data
    /// How many modules a side has, without the quiet zone: 21 to 177.
    public let side: Int
    /// The modules row by row, `side * side` of them; `true` is dark.
    public let modules: [Bool]

    public init(png: Data, side: Int, modules: [Bool]) {
        self.png = png
        self.side = side
        self.modules = modules
    }
}

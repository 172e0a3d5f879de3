import Foundation

/// A QR code as a picture and as modules, so that every front end can draw it.
public struct QRCodeImage: Equatable, Sendable {
    /// The picture in black and white, with the quiet zone, as a PNG.
    public let png: Data
    /// The number of modules of a side, without the quiet zone: 21 to 177.
    public let side: Int
    /// The modules row by row, `side * side` of them; `true` is dark.
    public let modules: [Bool]

    public init(png: Data, side: Int, modules: [Bool]) {
        self.png = png
        self.side = side
        self.modules = modules
    }
}

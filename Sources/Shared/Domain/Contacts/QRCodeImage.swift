import Foundation

/// A QR code as a picture and as modules. A terminal draws the modules.
public struct QRCodeImage: Equatable, Sendable {
    /// The picture in black and white, with the quiet zone, as a PNG.
    public let png: Data
    /// Modules per side, without the quiet zone: 21 to 177.
    public let side: Int
    /// `side * side` modules, row by row; `true` is dark.
    public let modules: [Bool]

    public init(png: Data, side: Int, modules: [Bool]) {
        self.png = png
        self.side = side
        self.modules = modules
    }
}

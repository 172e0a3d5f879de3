import SwiftUI

/// The colours from the web app's `tokens.json`. The asset catalogue has a light and a dark value
/// for each, under the token's name.
extension Color {
    static let ground = Color("color-ground")
    static let surface = Color("color-surface")
    static let sunken = Color("color-sunken")
    static let line = Color("color-line")
    static let words = Color("color-text")
    static let quiet = Color("color-quiet")
    static let brand = Color("color-brand")
    static let onBrand = Color("color-on-brand")
    static let fine = Color("color-fine")
    static let fineGround = Color("color-fine-ground")
    static let warning = Color("color-warning")
    static let warningGround = Color("color-warning-ground")
    static let critical = Color("color-critical")
    static let criticalGround = Color("color-critical-ground")
    static let alarm = Color("color-alarm")
    static let onAlarm = Color("color-on-alarm")
}

enum Symbol: String {
    case home = "house"
    case responders = "heart"
    case dependents = "checkmark.shield"
    case profile = "person"
    case bell = "bell"
    case check = "checkmark"
    case alert = "exclamationmark.triangle"
    case close = "xmark"
    case phone = "phone"
    case scan = "qrcode.viewfinder"
    case copy = "doc.on.doc"
    case share = "square.and.arrow.up"
    case back = "chevron.backward"
    case forward = "chevron.forward"

    /// The symbol's picture. VoiceOver skips it, because the text beside it has the same meaning.
    var picture: some View { Image(systemName: rawValue).accessibilityHidden(true) }
}

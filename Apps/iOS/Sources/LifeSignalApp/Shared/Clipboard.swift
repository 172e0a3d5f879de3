import Foundation
import UIKit
import UniformTypeIdentifiers

enum Clipboard {
    /// In seconds. Enough to paste into a password manager.
    private static let lifetime: TimeInterval = 180

    /// Copies a secret. It stays on this iPhone, and the system removes it after three minutes.
    @MainActor static func copySecret(_ text: String) {
        UIPasteboard.general.setItems(
            [[UTType.utf8PlainText.identifier: text]],
            options: [
                .localOnly: true, .expirationDate: Date(timeIntervalSinceNow: lifetime),
            ])
    }
}

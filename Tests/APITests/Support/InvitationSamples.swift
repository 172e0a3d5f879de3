import Domain
import Foundation

extension Samples {
    static func invitation(isFull: Bool) -> Invitation {
        var invitation = Invitation(
            id: id(7), name: "Mia", phoneNumber: isFull ? "" : "+442071838750",
            state: isFull ? .accepted : .pending, createdAt: noon,
            answeredAt: isFull ? noon : nil, contactID: isFull ? id(8) : nil)
        invitation.emailAddress = isFull ? "mia@example.org" : nil
        return invitation
    }
}

import Cryptography
import Domain
import Foundation

/// People who are asked by e-mail, and alert passes (product.md, "Invitations" and "Manual alert").
extension Truth {
    /// How many people have nothing but a mailbox. They never sign up, and their numbers follow
    /// those of the others.
    static let correspondents = 4
    /// How long the simulated server keeps guests without a relation.
    static let timeForGuests: Duration = .days(3)

    /// The invitations to a correspondent.
    struct Letters: Sendable {
        /// The messages since the last "yes".
        var unanswered = 0
        var wasWritten = false
        /// Whether the person has ever said "yes".
        var hasAgreed = false
        /// Whether the address gets messages.
        var isReader = false
        /// The people whose invitation exists, although no carrier took its message.
        var unsent: Set<Int> = []
    }

    struct Pass: Sendable {
        static let lifetime: Duration = .days(7)

        var token: Token
        var session: SessionID
        /// The true time.
        var madeAt: Date
        /// The alert that it has raised.
        var alert: AlertID?
    }

    /// Ends what the former keys of the server remembered.
    mutating func forgetMessagesToMailboxes() {
        for person in letters.keys.sorted() { letters[person]?.unanswered = 0 }
    }

    func isCorrespondent(_ person: Int) -> Bool { person >= people }

    /// Returns whether the person gets e-mail.
    func hasMail(_ person: Int) -> Bool {
        accounts[person]?.mail != nil
            || guests[person] != nil && letters[person]?.isReader ?? false
    }

    /// Returns the person's relations as a responder, in order.
    func relations(ofResponder person: Int) -> [Edge] {
        roles.keys.filter { $0.responder == person }.sorted { $0.owner < $1.owner }
    }
}

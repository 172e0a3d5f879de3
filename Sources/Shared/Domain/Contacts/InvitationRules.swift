import Foundation

public enum InvitationRules {
    /// The most invitations of one user, answered or not.
    public static let limit = 20
    /// The most invitations of one user in a day, including withdrawn ones.
    public static let perDay = 10
    /// The most messages to one number or mailbox in a day. Only people with an account or an
    /// accepted invitation get more than one.
    public static let messagesPerNumber = 3
    public static let window: Duration = .days(1)
    /// How long a person can say "yes". Later, the number may belong to someone else.
    public static let lifetime: Duration = .days(30)
    /// How long a person who stopped the messages can undo the stop.
    public static let timeToUndo: Duration = .days(1)
    /// The most undos in a day, because each one notifies the owner on every channel.
    public static let undosPerDay = 3
    /// The most stops in a day that notify the owner on every channel: the first, and one after
    /// each undo.
    public static let urgentStopsPerDay = undosPerDay + 1
    static let nameLength = 1...40

    /// Returns the wait before the next invitation; nil if it may be made now.
    /// - Parameter made: the times of the user's other invitations, in any order.
    public static func wait(after made: [Date], at now: Date) -> Duration? {
        SlidingWindow.wait(after: made, limit: perDay, in: window, at: now)
    }

    /// Returns true if a message may be sent. A user sends at most one message to a person. A
    /// person without an account gets a second message, from another user, only after a "yes".
    public static func mayWrite(after past: PastInvitations, at now: Date) -> Bool {
        guard !past.hasWrittenBefore, !past.isBlocked else { return false }
        guard past.hasAgreed || past.messages.isEmpty && !past.isStopped else { return false }
        return SlidingWindow.wait(
            after: past.messages + past.formerMessages, limit: messagesPerNumber, in: window,
            at: now) == nil
    }

    /// Returns true if inviting the person again makes a new invitation, within the limits of one.
    /// This doesn't depend on whether the earlier invitation has ended: the sender would learn
    /// whose number or address it has.
    public static func isRenewed(since createdAt: Date, at now: Date) -> Bool {
        createdAt.adding(window) <= now
    }

    public static func canBeAccepted(since createdAt: Date, at now: Date) -> Bool {
        now < createdAt.adding(lifetime)
    }

    /// Returns a name that strangers may read in a message: letters and the characters that join
    /// them. Throws `invalidArgument` for names with digits, links or symbols.
    /// - Parameter isOwn: true if the person types their own name.
    public static func name(_ text: String, isOwn: Bool = false) throws(CommandError) -> String {
        guard isOwn || text.contains(where: { !$0.isWhitespace }) else {
            throw .invalidArgument(
                field: "name", "Enter the name of the person whom you invite.")
        }
        let name = try ProfileRules.name(text)
        guard isName(name) else {
            throw .invalidArgument(field: "name", RefusalWords.invitedName.detail)
        }
        return name
    }

    /// Returns the inviting person's name. Throws `permissionDenied` if strangers may not read it.
    public static func sender(_ name: String) throws(CommandError) -> String {
        let isUnnamed = name == ProfileRules.displayName("")
        guard isName(name), isUnnamed || ProfileRules.statement(of: name) == nil else {
            throw .permissionDenied(RefusalWords.senderName.detail)
        }
        return name
    }

    private static func isName(_ name: String) -> Bool {
        guard nameLength.contains(name.count), name.unicodeScalars.count <= 80,
            name.contains(where: \.isLetter)
        else { return false }
        let scalars = Array(name.unicodeScalars)
        return scalars.indices.allSatisfy { NameScalar(scalars, at: $0).isPartOfName }
    }
}

private struct NameScalar {
    private let scalar: Unicode.Scalar
    private let scalars: [Unicode.Scalar]
    private let index: Int

    init(_ scalars: [Unicode.Scalar], at index: Int) {
        self.scalars = scalars
        self.index = index
        scalar = scalars[index]
    }

    private var previous: Unicode.Scalar? { index > 0 ? scalars[index - 1] : nil }
    private var next: Unicode.Scalar? { index + 1 < scalars.count ? scalars[index + 1] : nil }

    var isPartOfName: Bool {
        switch scalar {
        case ".": isDotOfInitial
        // Catalan `l·l`.
        case "\u{B7}": isBetween { "lL".unicodeScalars.contains($0) }
        // The middle dot between the parts of a foreign name in Japanese.
        case "\u{30FB}", "\u{FF65}": isBetween { $0.properties.isAlphabetic }
        // Geresh and gershayim.
        case "\u{5F3}", "\u{5F4}": previous.map { (0x5D0...0x5EA).contains($0.value) } == true
        case "\u{200C}": isBetween { Self.isArabic($0) || Self.isIndic($0) }
        case "\u{200D}": isBetween(Self.isIndic)
        default:
            scalar.properties.isAlphabetic && !scalar.properties.isDefaultIgnorableCodePoint
                || [.nonspacingMark, .spacingMark].contains(scalar.properties.generalCategory)
                || Self.others.contains(scalar)
        }
    }

    /// Spaces, apostrophes, hyphens and en dashes.
    private static let others = Set(
        " '-\u{B4}\u{2018}\u{2019}\u{2010}\u{2011}\u{2013}".unicodeScalars)

    /// "J. Doe", "J.-P. Doe" and "J.R. Ewing" are names, "j.example" is a link.
    private var isDotOfInitial: Bool {
        guard let next, next != " " else { return true }
        guard isInitial(index - 1) else { return false }
        return next == "-" || isInitial(index + 1) && self[index + 2] == "."
    }

    /// Returns true for a letter at the start, or after a space, dot or hyphen.
    private func isInitial(_ index: Int) -> Bool {
        guard let letter = self[index], letter.properties.isAlphabetic else { return false }
        guard let before = self[index - 1] else { return true }
        return " .-".unicodeScalars.contains(before)
    }

    private subscript(index: Int) -> Unicode.Scalar? {
        scalars.indices.contains(index) ? scalars[index] : nil
    }

    private func isBetween(_ isNeighbour: (Unicode.Scalar) -> Bool) -> Bool {
        guard let previous, let next else { return false }
        return isNeighbour(previous) && isNeighbour(next)
    }

    private static func isArabic(_ scalar: Unicode.Scalar) -> Bool {
        [0x0600...0x06FF, 0x0750...0x077F, 0x08A0...0x08FF].contains { $0.contains(scalar.value) }
    }

    /// Returns true for the scripts from Devanagari to Sinhala. Some of their letters need joiners.
    private static func isIndic(_ scalar: Unicode.Scalar) -> Bool {
        (0x0900...0x0DFF).contains(scalar.value)
    }
}

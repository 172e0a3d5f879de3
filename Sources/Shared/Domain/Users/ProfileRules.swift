import Foundation

/// The limits of a profile (product.md, "Users").
public enum ProfileRules {
    public static let nameLength = 1...100
    public static let emergencyNoteLength = 0...4_000
    /// The most new names in 24 hours that contacts are told. Contacts can't mute this news.
    public static let announcedNamesPerDay = 3
    /// The most marks in a row. Tibetan stacks have up to 8. More would cover other lines.
    private static let marksInRow = 8
    /// The most scalars in one character. An emoji family with skin tones has 11.
    private static let scalarsPerCharacter = 16

    /// Returns the name to store, without surrounding spaces and marks for text direction. Throws
    /// `invalidArgument` for a name that `plainName` refuses, or that makes false statements.
    public static func name(_ text: String) throws(CommandError) -> String {
        let name = try plainName(text)
        if let words = statement(of: name) {
            throw .invalidArgument(field: "name", words.detail)
        }
        return name
    }

    /// Returns the name of a person or thing. Throws `invalidArgument` for a name that `form`
    /// refuses, or that has a huge character or a link.
    static func plainName(_ text: String) throws(CommandError) -> String {
        let name = try form(text)
        guard hasPlainCharacters(name) else {
            throw .invalidArgument(field: "name", RefusalWords.nameMarks.detail)
        }
        guard !hasLink(name) else {
            throw .invalidArgument(field: "name", RefusalWords.nameLink.detail)
        }
        return name
    }

    /// Returns true if the name contains a URL, or a link or picture in Markdown.
    private static func hasLink(_ name: String) -> Bool {
        let text = visible(name)
        return ["](", "://"].contains { text.contains($0) }
    }

    /// Returns the name as older servers stored it. Throws `invalidArgument` for a name that is
    /// empty, invisible or too long. Rejects control characters, which would break an SMS.
    public static func form(_ text: String) throws(CommandError) -> String {
        let name = trimmedName(text)
        guard nameLength.contains(name.count),
            name.unicodeScalars.count <= 4 * nameLength.upperBound
        else {
            throw .invalidArgument(
                field: "name",
                name.isEmpty ? "Enter your name." : "Use at most 100 characters for your name.")
        }
        guard isOnOneLine(name) else {
            throw .invalidArgument(
                field: "name", "A name can’t contain line breaks or control characters.")
        }
        guard isVisible(name) else {
            throw .invalidArgument(
                field: "name", "This name can't be seen. Use letters that others can read.")
        }
        return name
    }

    /// Returns why messages with this name would make false statements, such as "No one is on it";
    /// nil for other names.
    static func statement(of name: String) -> RefusalWords? {
        // Chinese and Japanese sentences follow each other without a space.
        let spaced = name.replacing("。", with: "。 ").replacing("！", with: "! ")
            .replacing("？", with: "? ")
        let isOurs = words(of: name).joined(separator: "").contains("lifesignal")
        guard !isOurs, !isSubject(name), !hasPredicate(name) else {
            return RefusalWords.nameReserved
        }
        return hasSentence(NameSearch.folded(visible(spaced))) ? RefusalWords.nameSentence : nil
    }

    /// Returns true for a name such as "You", "No responder" or "The police", and for a longer name
    /// that ends in "nobody" or the like.
    static func isSubject(_ name: String) -> Bool {
        let parts = words(of: name)
        let text = parts.joined(separator: " ")
        let shown = visible(name)
        // "A. Guest" is a person.
        let isInitial = shown.first?.isLetter == true && shown.dropFirst().first == "."
        return subjects.contains(text) && !isInitial
            || quantities.contains {
                text == $0 || "\(text) ".hasPrefix("\($0) else ")
                    || $0 != "noone" && text.hasSuffix(" \($0)")
            }
            || beginnings.contains { "\(text) ".hasPrefix("\($0) ") }
            || isEmergencyService(parts)
    }

    /// Returns true for a name such as "Emergency services", "The local police" or "1-1-2".
    /// Responders who read that the police are there may stay at home. "Anna Police" is a person.
    private static func isEmergencyService(_ words: [Substring]) -> Bool {
        let name = words.joined(separator: "")
        guard !name.contains("emergencyservice"), !emergencyServices.contains(name) else {
            return true
        }
        let numbers = words.filter { $0.allSatisfy(\.isNumber) }
        let hasNumber =
            emergencyNumbers.contains(numbers.joined(separator: ""))
            || !numbers.isEmpty && numbers.allSatisfy { emergencyNumbers.contains(String($0)) }
        let rest = words.filter { word in
            !serviceAdditions.contains(String(word))
                && !(hasNumber && word.allSatisfy(\.isNumber))
        }
        guard !rest.isEmpty else { return hasNumber }
        return rest.allSatisfy { emergencyServices.contains(String($0)) }
            || emergencyServices.contains(rest.joined(separator: ""))
    }

    /// Returns true for a name such as "Ana is safe", which makes a title of an alert's news.
    private static func hasPredicate(_ name: String) -> Bool {
        let text = words(of: name).joined(separator: " ")
        return predicates.contains { " \(text)".hasSuffix(" \($0)") }
    }

    private static func words(of name: String) -> [Substring] {
        NameSearch.folded(visible(name)).split { !$0.isLetter && !$0.isNumber }
    }

    /// Subjects of LifeSignal's own sentences. "You" can be a part of a name.
    private static let subjects: Set<String> = Set(
        [
            "you", "they", "we", "none", "a former contact", "a source", "an account",
            "an administrator", "an alert", "an answer",
        ] + join(["a", "all", "the"], people + things) + join(["your", "another"], things))
    /// A name can't begin with these. "No" and "Your" alone are allowed, because "No" is a Korean
    /// surname. Some company names begin with "Your" and a thing.
    private static let beginnings: [String] =
        ["nobody", "no one", "none of"] + join(["no"], people + things)
        + join(["your", "another"], people)

    private static func join(_ words: [String], _ nouns: [String]) -> [String] {
        words.flatMap { first in nouns.map { "\(first) \($0)" } }
    }

    private static let people = [
        "contact", "contacts", "guest", "guests", "helper", "helpers", "other", "others", "people",
        "person", "persons", "responder", "responders", "user", "users",
    ]
    private static let things = [
        "account", "accounts", "alert", "alerts", "answer", "answers", "device", "devices", "help",
        "message", "messages", "phone", "phones",
    ]
    /// Words that name no emergency service by themselves. "First officer" is another job.
    private static let serviceAdditions: Set<String> = [
        "a", "all", "an", "and", "brigade", "brigades", "crew", "crews", "department",
        "departments", "first", "local", "medical", "officer", "officers", "service", "services",
        "the", "your",
    ]
    /// English names, without spaces.
    private static let emergencyServices: Set<String> = [
        "ambulance", "ambulances", "ambulanceservice", "coastguard", "coastguards", "emergency",
        "fire", "firebrigade", "firedepartment", "firefighter", "firefighters", "fireservice",
        "firstresponder", "firstresponders", "paramedic", "paramedics", "police",
        "policedepartment", "rescue", "rescueservice", "rescueservices", "responder", "responders",
    ]
    /// Emergency numbers of many countries, also of the police or the ambulance alone.
    private static let emergencyNumbers: Set<String> = [
        "000", "100", "101", "102", "103", "108", "110", "111", "112", "113", "115", "117", "118",
        "119", "120", "122", "123", "133", "144", "190", "191", "192", "193", "911", "995", "997",
        "998", "999", "9999",
    ]
    /// The ends of titles that begin with a name.
    private static let predicates = [
        "checked in", "is on it", "is safe", "missed a check in", "needs help",
    ]
    private static let quantities = [
        "no one", "noone", "nobody", "everyone", "everybody", "someone", "somebody", "anyone",
        "anybody",
    ]

    /// Returns true if words follow the end of a sentence. Dots of initials and titles don't end
    /// one.
    /// - Parameter name: in lower case.
    private static func hasSentence(_ name: String) -> Bool {
        var onlyTitles = true
        let words = name.split(whereSeparator: \.isWhitespace)
        // A name may be one word such as "ana.ruiz". A sentence has more words before its end.
        let isSentence = words.indices.dropFirst().contains { index in
            // The first word is the subject.
            let hasVerb = words[1..<index].contains { word in
                word.split(whereSeparator: isNoWord).contains { verbs.contains(String($0)) }
            }
            return joinsSentences(
                words[index], isLast: index == words.count - 1, hasVerb: hasVerb)
        }
        if isSentence { return true }
        for word in words.dropLast() {
            let marks = word.reversed().prefix { !$0.isLetter && !$0.isNumber }
            guard marks.contains(where: { endsOfSentences.contains($0) }) else {
                onlyTitles = false
                continue
            }
            let parts = word.split { !$0.isLetter && !$0.isNumber }
            guard Array(marks) == ["."], let last = parts.last else { return true }
            let isShort = last.count == 1 || onlyTitles && last.count <= 3
            guard isShort || titles.contains(String(last)) else { return true }
        }
        return false
    }

    private static let endsOfSentences = ".!?。؟।۔։።။"

    /// Returns true for a word such as "safe.eve", and false for "j.r.", "str.12" and "st.john". A
    /// name without a verb may also contain a word such as "kumar.s", or end in "booking.com".
    private static func joinsSentences(_ word: Substring, isLast: Bool, hasVerb: Bool) -> Bool {
        let parts = word.split { endsOfSentences.contains($0) }
        if isLast, !hasVerb {
            let isDomain = parts.count == 2 && word.count { $0 == "." } == 1
            if isDomain, let end = parts.last, domains.contains(String(end)) { return false }
        }
        return zip(parts, parts.dropFirst()).contains { before, after in
            guard let last = before.split(whereSeparator: isNoWord).last,
                let next = after.split(whereSeparator: isNoWord).first
            else { return false }
            let startsInitial = next.count == 1 && !hasVerb
            return last.count > 1 && !startsInitial && next.first?.isNumber != true
                && !titles.contains(String(last))
        }
    }

    private static func isNoWord(_ character: Character) -> Bool {
        !character.isLetter && !character.isNumber
    }

    /// Verbs of LifeSignal's news.
    private static let verbs: Set = ["are", "can", "has", "is", "needs", "was"]
    private static let titles: Set = [
        "abd", "atty", "av", "avv", "bsc", "bt", "capt", "chas", "co", "corp", "csc", "dent",
        "dipl", "dott", "dr", "dra", "dres", "drs", "ed", "engr", "esq", "fco", "geb", "hj", "hr",
        "inc", "ing", "inz", "jr", "judr", "jun", "jur", "lic", "ll", "ltd", "ma", "mag", "mba",
        "md", "med", "mgr", "mlle", "mme", "moch", "moh", "mohd", "mr", "mrs", "ms", "msc", "mudr",
        "mult", "mvdr", "nat", "nr", "ph", "pharm", "phdr", "phil", "prof", "profa", "psy", "rer",
        "rndr", "sc", "se", "sen", "sma", "smt", "sp", "sr", "sra", "sri", "srta", "st", "sta",
        "ste", "sto", "thos", "tp", "univ", "uzm", "verh", "vet", "wm", "им", "св", "ул",
    ]
    /// Usual ends of domains.
    private static let domains: Set = [
        "at", "be", "ch", "com", "cz", "de", "dk", "es", "eu", "fi", "fr", "hu", "ie", "info", "io",
        "it", "net", "nl", "no", "org", "pl", "pt", "ro", "se", "sk", "ua", "uk",
    ]

    /// Returns false for a letter with a tower of accents, or an endless emoji.
    static func hasPlainCharacters(_ text: String) -> Bool {
        guard text.allSatisfy({ $0.unicodeScalars.count <= scalarsPerCharacter }) else {
            return false
        }
        var marks = 0
        for scalar in text.unicodeScalars {
            if isMark(scalar) {
                marks += 1
                guard marks <= marksInRow else { return false }
            } else if !scalar.properties.isDefaultIgnorableCodePoint {
                marks = 0
            }
        }
        return true
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .spacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
    }

    /// Returns false for a text that shows nothing.
    static func isVisible(_ text: String) -> Bool { text.unicodeScalars.contains(where: isVisible) }

    /// Returns false for characters that show nothing by themselves.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        guard !isHidden(scalar), !isMark(scalar) else { return false }
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .spaceSeparator, .lineSeparator, .paragraphSeparator:
            return false
        default: return true
        }
    }

    /// Returns true for characters that show neither a sign nor a mark nor a gap.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        // The empty Braille pattern.
        guard scalar != "\u{2800}", !scalar.properties.isDefaultIgnorableCodePoint else {
            return true
        }
        return [.format, .unassigned, .privateUse].contains(scalar.properties.generalCategory)
    }

    /// Returns the name as it would be stored. Forms compare typed names with stored ones.
    public static func trimmedName(_ text: String) -> String {
        withoutDirections(text).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Removes marks for text direction, which are often copied along. Letters determine their
    /// direction without them.
    private static func withoutDirections(_ text: String) -> String {
        let marks: [ClosedRange<UInt32>] = [
            0x061C...0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069,
        ]
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { scalar in
                    !marks.contains { $0.contains(scalar.value) }
                }))
    }

    /// Returns true if the text has no control characters and no line breaks.
    static func isOnOneLine(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            switch $0.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    public static func emergencyNote(_ text: String) throws(CommandError) -> String {
        guard emergencyNoteLength.contains(text.count),
            text.unicodeScalars.count <= 4 * emergencyNoteLength.upperBound
        else {
            throw .invalidArgument(
                field: "emergencyNote", RefusalWords.emergencyNote.message)
        }
        guard !text.unicodeScalars.contains("\0") else {
            throw .invalidArgument(
                field: "emergencyNote", "An emergency note can’t contain null characters.")
        }
        return text
    }

    /// Returns the wait before contacts can be told of another name; nil if they can be now.
    /// - Parameter told: when they were told of others, in any order.
    public static func wait(afterNames told: [Date], at now: Date) -> Duration? {
        SlidingWindow.wait(after: told, limit: announcedNamesPerDay, in: .days(1), at: now)
    }

    /// Returns true if two names differ at most by case, accents, width, spaces and invisible
    /// characters.
    public static func areAlike(_ one: String, _ other: String) -> Bool {
        folded(one) == folded(other)
    }

    private static func folded(_ name: String) -> Data { NameSearch.prefix(visible(name)) }

    /// Returns the name without invisible characters, and with plain letters for full-width ones.
    private static func visible(_ name: String) -> String {
        let scalars = name.precomposedStringWithCompatibilityMapping.unicodeScalars
        return String(String.UnicodeScalarView(scalars.filter { !isHidden($0) }))
    }

    /// Returns the name to show, or "A LifeSignal user" if there is none yet.
    public static func displayName(_ name: String) -> String {
        name.isEmpty ? "A LifeSignal user" : name
    }

    /// Returns the name for messages. A long name is cut, because it would fill several text
    /// messages.
    public static func nameInMessages(_ name: String) -> String {
        let name = displayName(name)
        guard name.utf16.count > displayedUnits else { return name }
        var cut = ""
        for character in name {
            guard cut.utf16.count + character.utf16.count <= displayedUnits - 3 else { break }
            cut.append(character)
        }
        // Older names can begin with a huge character.
        let start = name.unicodeScalars.prefix((displayedUnits - 3) / 2)
        return (cut.isEmpty ? String(start) : cut) + "..."
    }

    /// The most UTF-16 units of a name in a message. One SMS part has 67 to 70.
    static let displayedUnits = 100
}

import Foundation
import Testing

@testable import Domain

@Suite struct NameTests {
    @Test(arguments: [
        "\u{3164}", "\u{2800}", "\u{AD}", "\u{115F}\u{1160}", "\u{FFA0}", "\u{E0041}\u{E0042}",
        "\u{FE0F}", "\u{200B}\u{200C}", "\u{301}\u{302}", "\u{2800} \u{3164}", "\u{34F}",
    ])
    func anInvisibleNameIsRefused(name: String) {
        #expect(refusal { try ProfileRules.name(name) }?.field == "name")
    }

    @Test(arguments: ["é", "e\u{301}", "\u{1F600}", "علی\u{200C}رضا", "李", "7"])
    func aVisibleNameIsKept(name: String) throws {
        #expect(try ProfileRules.name(name) == name)
    }

    @Test func hugeNameIsCutInMessages() {
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}"
        let shown = ProfileRules.nameInMessages(String(repeating: family, count: 57))
        #expect(shown.utf16.count <= 100 && shown.hasSuffix("..."))
        #expect(shown.dropLast(3).allSatisfy { String($0) == family })
        let name = String(repeating: "a", count: 100)
        #expect(ProfileRules.nameInMessages(name) == name)
    }

    @Test(
        arguments: [
            ("Ada", "Ada"), ("  Ada Lovelace\n", "Ada Lovelace"), ("\t\u{3000}Ada\u{A0}", "Ada"),
            ("A", "A"),
            ("D\u{2019}Arcy", "D\u{2019}Arcy"),
            ("\u{202E}gnp\u{2066}.\u{2069}\u{202C}Ada", "gnp.Ada"),
            ("\u{200F}A\u{200E}da\u{61C}", "Ada"),
            ("\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}", "\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}"),
            ("O  K", "O  K"),
            ("\u{0645}\u{0631}\u{064A}\u{0645}", "\u{0645}\u{0631}\u{064A}\u{0645}"),
        ])
    func aNameIsKeptWithoutWhiteSpaceAroundIt(text: String, name: String) throws {
        #expect(try ProfileRules.name(text) == name)
    }

    @Test(arguments: ["", " ", "\n\t \u{3000}"])
    func anEmptyNameIsRefused(text: String) {
        #expect(refusal { try ProfileRules.name(text) }?.field == "name")
    }

    @Test(
        "a trimmed name has at most a hundred characters, as people count them",
        arguments: ["a", "\u{E9}", "e\u{301}", "\u{1F642}", "\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}"])
    func length(character: String) throws {
        let longest = String(repeating: character, count: 100)
        #expect(try ProfileRules.name("  \(longest)  ") == longest)
        #expect(refusal { try ProfileRules.name(longest + character) }?.field == "name")
    }

    @Test func combiningMarksDoNotHideALongName() throws {
        let fourParts = "e\u{301}\u{302}\u{303}"
        let most = String(repeating: fourParts, count: 100)
        #expect(try ProfileRules.name(most) == most)
        #expect(refusal { try ProfileRules.name(most + "\u{304}") }?.field == "name")
        #expect(
            refusal { try ProfileRules.name("e" + String(repeating: "\u{301}", count: 10_000)) }
                != nil)
    }

    @Test(arguments: [
        "e" + String(repeating: "\u{301}", count: 8),
        // The Tibetan letter "ha" with eight marks, a Sanskrit cluster, Thai and Vietnamese.
        "\u{F67}\u{F90}\u{FB5}\u{FA8}\u{FB3}\u{FBA}\u{FBC}\u{FBB}\u{F82}",
        "र्त्स्न्यां", "น้ำผึ้ง", "Nguye\u{302}\u{303}n",
        "\u{1F469}\u{1F3FB}\u{200D}\u{1F469}\u{1F3FC}\u{200D}\u{1F467}\u{1F3FD}\u{200D}"
            + "\u{1F466}\u{1F3FE}",
        "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    ])
    func nameMayHaveMarksOfItsScript(name: String) throws {
        #expect(try ProfileRules.name(name) == name)
        #expect(try SourceRules.name(name) == name)
    }

    @Test(arguments: [
        "X" + String(repeating: "\u{301}", count: 9),
        "Ben " + "B" + String(repeating: "\u{E49}", count: 39),
        // An invisible character between the marks.
        "X" + String(repeating: "\u{301}\u{302}\u{303}\u{AD}", count: 9),
        String(repeating: "\u{1F468}\u{200D}", count: 10) + "\u{1F468}",
    ])
    func nameWithAHugeCharacterIsRefused(name: String) {
        let words = CommandError.invalidArgument(field: "name", RefusalWords.nameMarks.detail)
        #expect(refusal { try ProfileRules.name(name) } == words)
        #expect(refusal { try JourneyRules.name(name) }?.field == "name")
        #expect(refusal { try SourceRules.name(name) }?.field == "name")
        #expect(refusal { try PasskeyRules.name(name) }?.field == "name")
        #expect(refusal { try SignInRules.deviceName(name) }?.field == "deviceName")
    }

    @Test(arguments: [
        "No one", "NOBODY", "no-one", "N\u{F6}body", "No\u{AD}body", "\u{FF39}ou", "You", "you.",
        "Everyone", "Somebody", "LifeSignal", "Life Signal", "The LifeSignal team", "They",
        "Ana is safe - no one", "Ana is safe, nobody", "Ana, everybody",
        "N\u{FFFB}o one", "No\u{E000}body", "No responder", "No other responder", "Nobody else",
        "Someone else", "None of them", "None", "Emergency services", "Your responders",
        "Another responder", "An administrator", "A former contact", "Your responder",
        "The responder", "All responders", "A contact", "Another device", "No message",
        "Your account", "No phone works", "Ana needs help", "Ana is on it", "Ana checked in",
        "Ana missed a check-in", "Ana is safe", "Is safe!", "A guest", "An alert", "A helper",
        "Your phone", "Another message", "Your contacts know", "No alert Ltd",
        "The emergency services", "Emergency Services 911", "Local emergency-service", "Police",
        "The police", "the POLICE 110", "Ambulance", "An ambulance", "Fire Brigade", "Paramedics",
        "Coast guard", "112", "Your 911", "Emergenc\u{AD}y services",
        "Emergency medical services", "Emergency responders", "First responder",
        "Police officers", "The local police", "Police and the ambulance", "Ambulance crew",
        "Fire and Rescue Service", "Firefighter", "Local coast guard", "9 1 1", "1-1-2",
        "911 112", "Police 9-1-1", "Local 911 service", "P.o.l.i.c.e", "P a r a m e d i c",
    ])
    func nameLikeLifeSignalsWordsIsRefused(name: String) {
        let words = CommandError.invalidArgument(field: "name", RefusalWords.nameReserved.detail)
        #expect(refusal { try ProfileRules.name(name) } == words)
        #expect(refusal { try InvitationRules.sender(name) } != nil)
        #expect(refusal { try InvitationRules.name(name) }?.field == "name")
    }

    @Test(arguments: [
        "Ana is safe. Ben", "Ana is ok. Ben", "Safe! Ben", "Really? Ben", "Ana is safe.) Ben",
        "Ana is safe… Ben", "安全。Ben", "安全！Ben", "محفوظ ہے۔ Ben", "Dr. Ana is safe. Ben",
        "Ana is safe. J. Smith", "Ana is safe.Eve", "Ana is safe!Eve", "Ana is safe...Eve",
        "Ana is safe.J. Smith", "Ana is safe.J.Smith", "Ana is safe.com Ben", "Ana is safe!com",
        "Ana safe.example.com", "Ana is safe.It needs rest", "Ana is safe.It", "Ana is safe.J",
    ])
    func nameWithASentenceIsRefused(name: String) {
        let words = CommandError.invalidArgument(field: "name", RefusalWords.nameSentence.detail)
        #expect(refusal { try ProfileRules.name(name) } == words)
        #expect(refusal { try InvitationRules.sender(name) } != nil)
        #expect(refusal { try InvitationRules.name(name) }?.field == "name")
        // Messages don't use the name of a journey as a subject.
        #expect(throws: Never.self) { try JourneyRules.name(name) }
    }

    @Test(arguments: [
        "![x](https://evil.example/p.png)", "[Ana](evil.example)", "https://evil.example",
        "Ana http\u{FF1A}//evil.example", "[Ana]\u{200B}(evil.example)",
    ])
    func nameWithALinkIsRefused(name: String) {
        let words = CommandError.invalidArgument(field: "name", RefusalWords.nameLink.detail)
        #expect(refusal { try ProfileRules.name(name) } == words)
        #expect(refusal { try InvitationRules.name(name) }?.field == "name")
        #expect(refusal { try JourneyRules.name(name) }?.field == "name")
    }

    @Test(arguments: [
        "J. R. Smith", "Dr. Ana", "Prof. Dr. med. Ana Ruiz", "Dipl.-Ing. Max", "Md. Rahman",
        "A.K.M. Rahman", "Robert St. John", "Maria C. Lopez", "Sammy Davis Jr.", "Ana Ruiz, M.Sc.",
        "Li You", "You Li", "Noone Smith", "P!nk", "Ben!", "Ana (Mom)", "x.example", "李", "मीरा",
        "José M. Ruiz", "O\u{2019}Neil", "Everyone’s friend", "Peter Noone", "MUDr. Jan Novák",
        "No Seung-u", "None Smith", "Noé", "Noel Nobody-Smith", "St.John", "J.R. Ewing",
        "Maria St.John", "Frau Dr.Huber", "Maria J.Lopez", "Ramesh Kumar.S", "ana.ruiz", "Ana P!nk",
        "Kazi Md. Saiful", "Dott. Mario Rossi", "Frau Mag. Huber", "Müller GmbH & Co. KG",
        "Praxis Dr.med.Huber", "Prof. Dr.rer.nat. Max Huber", "mgr inż.Jan Nowak",
        "Sn. Av.Ahmet Kaya", "Bapak Drs.Ahmad", "Ibu Hj.Siti", "Budi Santoso,SE.MM",
        "Храм св.Николая", "Bệnh viện TP.HCM", "WG Hauptstr.12", "Mr. & Mrs. Smith",
        "M. et Mme. Dupont", "Herr Dr. med. Huber", "Hotel Booking.com", "Taxi Berlin.de",
        "Ramesh Kumar.S.R.", "Ana Ph.D. Ruiz", "Your Homecare Ltd", "Your Mum",
        "Another Place Hotel", "The Guest House", "Theresa", "A. Contact-Müller", "Allen",
        "Ana Safe", "Paris Onit", "Anna LL.M. Müller", "Ramesh Kumar.S Iyer",
        "Maria Luz.A.Gomez", "John Ed.D. Smith", "Dr. h.c. mult. Otto", "Anna M.Sc. Müller",
        "Praxis Dres. med. Huber", "Can Kumar.S", "A. Guest", "A. Helper", "An Guest",
        "Your Phone Repair Ltd", "Your Message Service", "Your Account Plus", "Your Help Hub",
        "Taxi Wien.at", "Pizzeria Roma.it", "Hotel Praha.cz", "Anna Police",
        "Police Ana", "Polizzi", "Ambulance Bay Cafe", "Dr. Ana, Emergency", "A", "The", "Ana 112",
        "Dr. rom. Ana", "007", "An Ambulance Dr", "Sting Police", "Agent 101", "Rescue Me",
        "Ana 1-1-2", "First Officer", "Medical Crew", "Police 5", "9 1 2", "Local",
    ])
    func usualNameIsNoStatement(name: String) throws {
        #expect(try ProfileRules.name(name) == name)
    }

    @Test func unnamedPersonCanInvite() throws {
        let name = ProfileRules.displayName("")
        #expect(try InvitationRules.sender(name) == name)
        #expect(refusal { try ProfileRules.name(name) }?.field == "name")
    }

    /// Older servers have stored such names.
    @Test func hugeCharacterIsCutInMessages() {
        let name = "X" + String(repeating: "\u{301}", count: 398)
        let shown = ProfileRules.nameInMessages(name)
        #expect(shown.unicodeScalars.prefix(2).elementsEqual(["X", "\u{301}"]))
        #expect(shown.utf16.count <= 100)
    }

    @Test(arguments: [
        "\0", "\n", "\r\n", "\t", "\u{1B}", "\u{7F}", "\u{85}", "\u{2028}", "\u{2029}",
    ])
    func aNameIsOneLineWithoutControlCharacters(character: String) {
        #expect(refusal { try ProfileRules.name("Ada\(character)Lovelace") }?.field == "name")
    }

    @Test(arguments: [
        "BEN", "B\u{E9}n", "  Ben ", "Be\u{AD}n", "B\u{200D}en", "B\u{200C}en", "Ben\u{3164}",
        "Ben\u{2800}", "\u{FF22}\u{FF45}\u{FF4E}", "Be\u{34F}n", "\u{200F}Ben\u{200E}\u{61C}",
        "Ben\u{FE0F}", "Be\u{FFF9}n", "Ben\u{FFFB}", "Ben\u{E000}", "Ben\u{378}",
    ])
    func nameThatLooksTheSameIsAlike(name: String) {
        #expect(ProfileRules.areAlike(name, "Ben") && ProfileRules.areAlike("Ben", name))
    }

    @Test(arguments: ["Bem", "Ben B.", "B en", "Benn", "", "सीता"])
    func otherNameIsNotAlike(name: String) {
        #expect(!ProfileRules.areAlike(name, "Ben"))
    }

    @Test func unnamedPersonHasADisplayName() {
        #expect(ProfileRules.displayName("") == "A LifeSignal user")
        #expect(ProfileRules.displayName("Ada") == "Ada")
    }
}

@Suite struct EmergencyNoteTests {
    @Test(arguments: [
        "", "Penicillin allergy", "  two\n\tlines \n",
        "\u{1F469}\u{200D}\u{2764}\u{FE0F}\u{200D}\u{1F469}",
    ])
    func noteIsKeptVerbatim(text: String) throws {
        #expect(try ProfileRules.emergencyNote(text) == text)
    }

    @Test(arguments: ["a", "\u{1F642}", "e\u{301}", "\r\n"])
    func aNoteHasAtMost4000Characters(character: String) throws {
        let longest = String(repeating: character, count: 4_000)
        #expect(try ProfileRules.emergencyNote(longest) == longest)
        #expect(
            refusal { try ProfileRules.emergencyNote(longest + character) }?.field
                == "emergencyNote")
    }

    @Test func combiningMarksDoNotHideALongNote() throws {
        let most = "e" + String(repeating: "\u{301}", count: 15_999)
        #expect(try ProfileRules.emergencyNote(most) == most)
        #expect(
            refusal { try ProfileRules.emergencyNote(most + "\u{301}") }?.field == "emergencyNote")
    }

    @Test func aZeroCharacterIsRefused() {
        #expect(refusal { try ProfileRules.emergencyNote("a\0b") }?.field == "emergencyNote")
    }

    @Test func aPictureHasAtMostFiveMegabytes() {
        #expect(ProfilePicture.limitInBytes == 5_000_000)
    }
}

import Domain

extension PhoneCountry? {
    /// The title of the choice without a country, for numbers that are typed with their country
    /// code.
    public static var noneTitle: String { "None: the number starts with +" }

    public var hint: String {
        guard let self else { return "Start with +, e.g. +1 555 0100" }
        return "As you dial it in \(self.name), or with + and another country’s code"
    }
}

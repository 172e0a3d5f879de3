extension Case {
    /// The case that no value is in.
    public var never: Case<Never> { Case<Never>() }
}

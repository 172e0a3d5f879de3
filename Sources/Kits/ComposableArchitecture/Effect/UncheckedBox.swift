/// Carries a value that need not be Sendable from one isolation to another.
///
/// Unchecked because the one who puts it in gives it up, and only one takes it out.
struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
}

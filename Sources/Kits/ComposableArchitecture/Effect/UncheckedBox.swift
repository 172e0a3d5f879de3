/// Transfers a value from one isolation to another, even if the value isn't Sendable.
///
/// Unchecked because the sender gives up the value, and only one receiver takes it.
struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
}

/// Transfers a value that need not be Sendable from one isolation to another.
///
/// Unchecked because the sender no longer uses the value, and only one receiver takes it.
struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
}

/// The memory for large bodies, such as pictures, shared by all requests of a process.
public protocol BodyMemory: Sendable {
    /// The size up to which a body isn't counted, in bytes.
    var smallBody: Int { get }
    /// Reserves memory for a body. Returns false if not enough is left, or if the holder's share is
    /// used up.
    func take(_ bytes: Int, for holder: String) -> Bool
    func giveBack(_ bytes: Int, of holder: String)
}

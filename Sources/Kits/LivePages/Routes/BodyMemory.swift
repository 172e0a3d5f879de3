/// The memory for large bodies, such as pictures. All requests of a process share it.
public protocol BodyMemory: Sendable {
    /// The maximum size of a body that isn't counted, in bytes.
    var smallBody: Int { get }
    /// Reserves memory for a body. Returns false if too little is left, or if the holder's share is
    /// used up.
    func take(_ bytes: Int, for holder: String) -> Bool
    func giveBack(_ bytes: Int, of holder: String)
}

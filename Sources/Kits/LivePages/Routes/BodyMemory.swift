/// The memory for large bodies, such as pictures, which all requests of a process share.
public protocol BodyMemory: Sendable {
    /// Bodies up to this many bytes take none of it.
    var smallBody: Int { get }
    /// False when there is not so much left, or the holder has its share.
    func take(_ bytes: Int, for holder: String) -> Bool
    func giveBack(_ bytes: Int, of holder: String)
}

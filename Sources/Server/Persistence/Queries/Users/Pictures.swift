import Domain

extension SQLConnection {
    /// Returns the picture if it belongs to the viewer or to a connected contact.
    public func picture(_ id: PictureID, for viewer: UserID) throws -> ProfilePicture? {
        let owner: UserID? = try value(
            "SELECT user_id FROM picture_ids WHERE id = $1", [.id(id)])
        guard let owner,
            try owner == viewer || contact(owner, of: viewer)?.relation.isConnected == true
        else { return nil }
        return try first(
            "SELECT id, content_type, bytes FROM pictures WHERE user_id = $1 AND id = $2",
            [.id(owner), .id(id)]
        ) {
            ProfilePicture(
                id: try $0["id"], contentType: try $0["content_type"], bytes: try $0["bytes"])
        }
    }
}

extension Transaction {
    public func setPicture(_ picture: ProfilePicture?, of user: UserID) throws {
        let old: PictureID? = try value("SELECT id FROM pictures WHERE user_id = $1", [.id(user)])
        if let old { try deleteValues([.id(old)], from: "picture_ids", by: "id") }
        try execute("DELETE FROM pictures WHERE user_id = $1", [.id(user)])
        if let picture {
            try execute(
                "INSERT INTO picture_ids (id, user_id) VALUES ($1, $2)",
                [.id(picture.id), .id(user)])
            try execute(
                "INSERT INTO pictures (user_id, id, content_type, bytes) VALUES ($1, $2, $3, $4)",
                [.id(user), .id(picture.id), .text(picture.contentType), .blob(picture.bytes)]
            )
        }
        try execute(
            "UPDATE users SET picture_id = $1 WHERE id = $2", [.id(picture?.id), .id(user)])
        noteCopyChange(of: user)
    }
}

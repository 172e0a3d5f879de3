import Domain

extension SQLConnection {
    /// The picture, if it is the viewer's own or that of a contact with a role in force.
    public func picture(_ id: PictureID, for viewer: UserID) throws -> ProfilePicture? {
        try first(
            """
            SELECT id, content_type, bytes FROM pictures
            WHERE id = $1 AND (user_id = $2
                OR EXISTS (SELECT 1 FROM contacts WHERE low_id = $2 AND high_id = pictures.user_id
                    AND low_is_responder + high_is_responder > 0)
                OR EXISTS (SELECT 1 FROM contacts WHERE high_id = $2 AND low_id = pictures.user_id
                    AND low_is_responder + high_is_responder > 0))
            """,
            [.id(id), .id(viewer)]
        ) {
            ProfilePicture(
                id: try $0["id"], contentType: try $0["content_type"], bytes: try $0["bytes"])
        }
    }
}

extension Transaction {
    public func setPicture(_ picture: ProfilePicture?, of user: UserID) throws {
        try execute("DELETE FROM pictures WHERE user_id = $1", [.id(user)])
        if let picture {
            try execute(
                "INSERT INTO pictures (user_id, id, content_type, bytes) VALUES ($1, $2, $3, $4)",
                [.id(user), .id(picture.id), .text(picture.contentType), .blob(picture.bytes)]
            )
        }
        try execute(
            "UPDATE users SET picture_id = $1 WHERE id = $2", [.id(picture?.id), .id(user)])
    }
}

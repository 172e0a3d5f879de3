import API
import Clients
import Domain
import Foundation

extension StorageClient {
    static func live(_ controller: SessionController) -> StorageClient {
        StorageClient(
            updateProfilePicture: { picture in
                try await controller.with(.uploadPicture) { account in
                    guard let mediaType = PictureWorkshop.mediaType(of: picture) else {
                        throw PictureFailure.notAPicture
                    }
                    return try await account.perform(
                        {
                            try await $0.upload(Routes.putPicture, picture, mediaType: mediaType)
                                as UserProfile
                        }, { .reply(.profile($0)) })
                }
            },
            removeProfilePicture: {
                try await controller.with(.removePicture) { account in
                    try await account.perform(
                        { try await $0.call(Routes.deletePicture) }, { .reply(.profile($0)) })
                }
            },
            // Uses only the id in the URL, so that no other server ever gets a request or a token.
            picture: { url in
                try await controller.with(.loadPicture) { account in
                    guard let id = PictureID(url.lastPathComponent) else {
                        throw CommandError.notFound("There is no such picture.")
                    }
                    return try await account.connection.download(Routes.picture, id: id.uuid).bytes
                }
            }
        )
    }
}

extension ImageClient {
    static func live(_ controller: SessionController) -> ImageClient {
        ImageClient(prepare: { picture in
            try await controller.inWords(.uploadPicture) {
                try controller.pictures.check(picture)
                return try await controller.pictures.prepare(picture)
            }
        })
    }
}

extension QRCodeClient {
    static func live(_ controller: SessionController) -> QRCodeClient {
        QRCodeClient(
            generateQRCode: { text in
                try await controller.inWords(.loadQRCode) {
                    try await controller.pictures.generate(text)
                }
            },
            decode: { picture in
                try await controller.inWords(.readQRCode) {
                    try await controller.pictures.decode(picture)
                }
            }
        )
    }
}

import Foundation

/// The folder of foreign test vectors, found from this file's own place.
func vectorFolder(_ path: String, from file: String = #filePath) -> URL {
    URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Vectors").appending(
        path: path)
}

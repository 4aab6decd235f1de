import Foundation

/// The folder of foreign test vectors, located relative to this file.
func vectorFolder(_ path: String, from file: String = #filePath) -> URL {
    URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Vectors").appending(
        path: path)
}

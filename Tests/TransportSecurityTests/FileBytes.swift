import Foundation

func bytes(of file: URL) throws -> [UInt8] { Array(try Data(contentsOf: file)) }

import AccessControl
import Files
import SystemPackage

/// Denials in the state directory of a gateway, for whoever explains what that gateway would do.
public enum KnownDenials: Sendable {
    case known(DenialRecords)
    /// There is no saved file, although its directory can be read.
    case neverSaved
    /// The file cannot be read here, for this reason.
    case unknown(String)

    /// Reads what a gateway saved in its state directory.
    ///
    /// Unlike the gateway, accepts a file of any owner: nothing is permitted on its account.
    public init(in directory: String) {
        let path = "\(directory)/\(SavedDenials.fileName)"
        do throws(Errno) {
            let file = try OpenFile(path, .readOnly, [.noFollow, .nonBlocking])
            guard let bytes = try file.readToEnd(limit: SavedDenials.longestFile) else {
                self = .unknown("`\(path)` is too large")
                return
            }
            do throws(DenyProblem) {
                self = .known(try SavedDenials.records(in: bytes))
            } catch {
                self = .unknown("\(error)")
            }
        } catch .noSuchFileOrDirectory where FileStamp(directory) != nil {
            self = .neverSaved
        } catch .noSuchFileOrDirectory {
            self = .unknown("there is no `\(directory)`")
        } catch {
            self = .unknown("`\(path)`: \(error.words)")
        }
    }
}

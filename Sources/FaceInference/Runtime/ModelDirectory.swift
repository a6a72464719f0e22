import Foundation
import System

/// The location of the LiteRT library and the face models.
public enum ModelDirectory {
    /// The environment variable that names the directory. It also sets `detection.modelDirectory` of `facetd`.
    public static let environmentVariable = "FACET_DETECTION_MODEL_DIRECTORY"

    /// The directories that are searched, in order: the environment variable's alone if that is set; else `lib/facet`
    /// beside the program's directory, `/usr/lib/facet` (a package), `/usr/local/lib/facet` (`deploy/setup`).
    public static var searchPath: [String] {
        if let named = ProcessInfo.variables[environmentVariable], !named.isEmpty { return [named] }
        return directories(for: RunningProgram.path)
    }

    /// Returns where a program looks for models: first in `lib/facet` beside its directory, then in the usual places.
    static func directories(for program: String?) -> [String] {
        let usual = ["/usr/lib/facet", "/usr/local/lib/facet"]
        let beside = program.map { "/" + $0.split(separator: "/").dropLast(2).joined(separator: "/") + "/lib/facet" }
        return [beside].compactMap(\.self) + usual.filter { $0 != beside }
    }

    /// Returns `named` unchecked or, if it is nil, the first directory of the search path that has the LiteRT library.
    /// - Throws: `InferenceError.notInstalled` with the searched directories if no directory has it.
    public static func find(_ named: String? = nil) throws(InferenceError) -> String {
        if let named { return named }
        let directories = searchPath
        let library = try PinnedFile.library().name
        guard let found = directories.first(where: { access($0 + "/" + library, F_OK) == 0 }) else {
            throw .notInstalled(file: library, searched: directories)
        }
        return found
    }
}

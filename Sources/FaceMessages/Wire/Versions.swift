internal import CBuild

/// The version of the wire contract, the `schema` of every message.
public let schemaVersion = 1

/// The version of Facet: of both programs and the libraries.
public let facetVersion = "0.5.0"

/// The version, and in parentheses the commit that the program is built from if that is no release.
package let facetBuild = {
    let commit = String(cString: facet_commit())
    return commit.isEmpty ? facetVersion : "\(facetVersion) (\(commit))"
}()

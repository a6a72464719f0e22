internal import CBuild

/// The version of the message format, which is the `schema` of every JSON message.
public let schemaVersion = 1

/// The version of Facet's two programs and its libraries.
public let facetVersion = "0.5.0"

/// The version, followed in parentheses by the commit that the program was built from, unless it is a release.
package let facetBuild = {
    let commit = String(cString: facet_commit())
    return commit.isEmpty ? facetVersion : "\(facetVersion) (\(commit))"
}()

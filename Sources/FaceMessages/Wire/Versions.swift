/// The version of the wire contract, the `schema` of every message.
public let schemaVersion = 1

/// The version of Facet: of both programs and the libraries.
public let facetVersion = "0.5.0"

/// The looks that a command can draw by name: the built-in ones, and after them one of the user's own.
package struct Looks {
    private let own: (name: String, look: OwnLook)?

    /// The names, in the order in which they are offered.
    package let names: [String]

    package init() {
        own = nil
        names = LookName.allCases.map(\.rawValue)
    }

    /// The built-in looks and another one; the name must not be one of theirs.
    package init(own look: OwnLook, name: String) {
        precondition(LookName(rawValue: name) == nil, "\(name) is a built-in look")
        own = (name, look)
        names = LookName.allCases.map(\.rawValue) + [name]
    }

    /// The look of a name; the first one if there is none.
    package subscript(name: String) -> any Look {
        if let own, own.name == name { return own.look }
        return (LookName(rawValue: name) ?? .label).look
    }
}

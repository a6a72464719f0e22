import ArgumentParser
public import OverlayRendering
public import TerminalPictures

extension LookName: ExpressibleByArgument {}
extension VideoGravity: ExpressibleByArgument {}
extension TerminalFormat: ExpressibleByArgument {}
